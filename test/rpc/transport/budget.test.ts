import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { defineMethod, param } from '../../../src/rpc/method.ts'
import { plainType } from '../../../src/rpc/wireType.ts'
import { postJson, sendHttp } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { readGauge } from '../../support/rpc/gauges.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { type TestContext, testMethods } from '../../support/rpc/testMethods.ts'
import { WsClient } from '../../support/rpc/wsClient.ts'
import { slow } from '../../support/slow.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

/** Every protection is tried with its limit and, as a control, with a limit that nothing reaches. */
const memory = 40_000_000
const protectedBy = (setting: string, limit: number) =>
  [
    { name: 'with its limit', flags: [`--json-rpc.${setting}=${limit}`], isHeld: true },
    { name: 'and without one more is held', flags: [`--json-rpc.${setting}=100000000000`], isHeld: false },
  ] as const

const usedMemory = ({ registry }: TestServer): Promise<number> =>
  readGauge(registry, 'perihelion_rpc_memory_bytes', { what: 'used' })

/**
 * Whether no more than `limit` bytes are in use while `act` runs and for a moment after it; where more are expected, they
 * are waited for, however slow the machine is.
 */
const isHeldTo = async (
  limit: number,
  isExpected: boolean,
  server: TestServer,
  act: () => Promise<unknown>,
): Promise<boolean> => {
  if (isExpected) return (await mostUsed(server, () => act().then(() => sleep(1500)))) < limit
  await act()
  await eventually(async () => (await usedMemory(server)) >= limit)
  return false
}

/** Returns the most memory that is in use while `act` runs. */
const mostUsed = async (server: TestServer, act: () => Promise<unknown>): Promise<number> => {
  let most = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await usedMemory(server))
      await sleep(5)
    }
  })()
  await act().finally(() => (isOver = true))
  await watching
  return most
}

const batchOf = (count: number, bytes: number): string =>
  `[${Array.from({ length: count }, (_, id) => toCallJson('test_fill', [bytes], id)).join()}]`

let server: TestServer
const sockets: { close(): void }[] = []
const open = async (): Promise<RawSocket> => {
  const raw = await RawSocket.open(server.http)
  sockets.push(raw)
  return raw
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close()
  await server.close()
})

describe('the memory of requests and responses', () => {
  const attacks: readonly { readonly name: string; readonly run: () => Promise<unknown> }[] = [
    {
      name: 'batches whose responses nobody reads',
      run: async () => {
        for (let count = 0; count < 16; count++) {
          const raw = await open()
          raw.socket.pause()
          raw.send(httpPost(batchOf(100, 100_000)))
        }
      },
    },
    {
      name: 'bodies that never end',
      run: async () => {
        for (let count = 0; count < 16; count++) {
          const raw = await open()
          raw.send(httpPost(toCallJson('test_echo', ['x'.repeat(4_500_000)])).slice(0, 4_000_000))
        }
      },
    },
    {
      name: 'messages that never end',
      run: async () => {
        for (let count = 0; count < 16; count++) {
          const { socket } = await WsClient.open(server.ws)
          sockets.push({ close: () => socket.terminate() })
          socket.send('x'.repeat(4_000_000), { fin: false })
        }
      },
    },
    {
      name: 'calls that wait with large parameters',
      run: async () => {
        const body = toCallJson('test_wait', [[20_000, 'x'.repeat(2_000_000)]])
        await Promise.all(Array.from({ length: 16 }, async () => (await open()).send(httpPost(body))))
      },
    },
  ]
  const wait = defineMethod<TestContext>()({
    name: 'test_wait',
    summary: 'For tests.',
    access: 'public',
    params: [
      param('what', plainType(z.tuple([z.number(), z.string()])), 'How long, and what is held meanwhile.'),
    ],
    result: { name: 'result', type: plainType(z.number()) },
    examples: [],
    handler: async ([[ms]]) => {
      await sleep(ms)
      return ms
    },
  })

  describe.each(attacks)('$name', slow, ({ run }) => {
    test.each(protectedBy('request-memory', memory))('$name', async ({ flags, isHeld }) => {
      server = await startTestServer(flags, { methods: [...testMethods, wait] })
      expect(await isHeldTo(memory, isHeld, server, run)).toBe(isHeld)
      expect(parseResult(await postJson(server.http, toCallJson('test_echo', [1])))).toBe(1)
      for (const socket of sockets) socket.close()
      // All of it is given back, whatever became of the requests.
      await eventually(async () => (await usedMemory(server)) === 0)
    })
  })

  test('a call for which there is none gets -32005 with its id, a body that is not read 503', async () => {
    server = await startTestServer([`--json-rpc.request-memory=${memory}`])
    const holders: RawSocket[] = []
    for (let count = 0; count < 6; count++) {
      const raw = await open()
      raw.send(httpPost(toCallJson('test_echo', ['x'.repeat(4_500_000)])).slice(0, 4_400_000))
      holders.push(raw)
    }
    await eventually(async () => (await usedMemory(server)) > 26_000_000)
    const [first, second] = JSON.parse(await postJson(server.http, batchOf(2, 8_000_000))) as {
      id: number
      error?: { code: number; message: string }
    }[]
    expect(first).toMatchObject({ id: 0, error: { code: -32005 } })
    expect(first?.error?.message).toMatch(/json-rpc\.request-memory/)
    expect(second).toMatchObject({ id: 1, error: { code: -32005 } })
    const body = toCallJson('test_echo', ['x'.repeat(4_500_000)])
    const refused = await sendHttp(server.http, { body, headers: { 'Content-Type': 'application/json' } })
    expect(refused.status).toBe(503)
    expect(refused.body).toMatch(/json-rpc\.request-memory/)
    for (const raw of holders) raw.close()
    await eventually(async () => (await usedMemory(server)) === 0)
    expect(parseResult(await postJson(server.http, body))).toHaveLength(4_500_000)
  })

  test('compression is within the memory: where there is none for it, responses go as they are', async () => {
    server = await startTestServer([`--json-rpc.request-memory=${memory}`, '--json-rpc.compression=always'])
    const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': 'br' }
    const ask = () => sendHttp(server.http, { body: batchOf(2, 3_000_000), headers })
    expect((await ask()).headers['content-encoding']).toBe('br')
    for (let count = 0; count < 4; count++)
      (await open()).send(httpPost(toCallJson('test_echo', ['x'.repeat(4_500_000)])).slice(0, 4_400_000))
    await eventually(async () => (await usedMemory(server)) > 17_000_000)
    const plain = await ask()
    expect(plain.status).toBe(200)
    expect(plain.headers['content-encoding']).toBeUndefined()
  })

  test('the responses of a batch come whole and in order, however long they are', async () => {
    server = await startTestServer()
    const sizes = [10, 70_000, 3, 500_000, 65_536, 1]
    const batch = `[${sizes.map((size, id) => toCallJson('test_fill', [size], id)).join()}]`
    const overWs = (await WsClient.open(server.ws)).ask(batch)
    for (const text of [await postJson(server.http, batch), await overWs]) {
      const responses = JSON.parse(text) as { id: number; result: string }[]
      expect(responses.map(({ id, result }) => [id, result.length])).toEqual([...sizes.entries()])
    }
  })
})

describe('WebSocket readers that do not read', () => {
  const openSlow = async (): Promise<WsClient> => {
    const client = await WsClient.open(server.ws)
    sockets.push({ close: () => client.socket.terminate() })
    client.socket.pause()
    return client
  }

  describe('one large response each', slow, () => {
    const limit = 20_000_000
    test.each(protectedBy('ws-total-backlog', limit))('$name', async ({ flags, isHeld }) => {
      server = await startTestServer(['--json-rpc.request-memory=10000000000', ...flags])
      const flood = async (): Promise<void> => {
        for (let count = 0; count < 24; count++) (await openSlow()).send(toCallJson('test_fill', [8_000_000]))
      }
      // The last one is spared, and those that were closed may read on for a while, up to the same limit.
      expect(await isHeldTo(2 * (limit + 8_000_000), isHeld, server, flood)).toBe(isHeld)
    })
  })

  test(
    'small answers that nobody reads make room for small requests: the slow readers go first',
    slow,
    async () => {
      const backlogs = ['max', 'total'].map((which) => `--json-rpc.ws-${which}-backlog=1000000000`)
      server = await startTestServer(['--json-rpc.request-memory=20000000', ...backlogs])
      const slow: WsClient[] = []
      for (let count = 0; count < 4; count++) slow.push(await openSlow())
      // Until the kernel takes no more of the answers: some let a socket hold 30 MB and more.
      await eventually(async () => {
        for (const client of slow)
          for (let id = 0; id < 50; id++) client.send(toCallJson('test_fill', [60_000], id))
        return (await usedMemory(server)) > 15_000_000
      })
      // The clients go on sending meanwhile.
      for (let count = 0; count < 30; count++) {
        const text = await postJson(server.http, toCallJson('test_fill', [30_000]))
        expect(text.slice(0, 200)).toMatch(/"result"/)
        await sleep(10)
      }
      for (const { socket } of slow) socket.resume()
      await Promise.race(slow.map(({ closed }) => closed))
    },
  )

  test(
    'a socket with small requests stays open while memory is short: calls are answered or refused',
    slow,
    async () => {
      server = await startTestServer(['--json-rpc.request-memory=20000000'])
      const holders: RawSocket[] = []
      for (let count = 0; count < 6; count++) {
        const raw = await open()
        raw.send(httpPost(toCallJson('test_echo', ['x'.repeat(4_500_000)])).slice(0, 3_000_000))
        holders.push(raw)
      }
      // More than three quarters cannot be had by large requests, and some part of the rest is taken too.
      await eventually(async () => (await usedMemory(server)) > 12_000_000)
      const waiting = toCallJson('test_echo', ['x'.repeat(60_000)])
      for (let count = 0; count < 60; count++)
        holders.push((await open()).send(httpPost(waiting).slice(0, 60_000)))
      await eventually(async () => (await usedMemory(server)) > 15_500_000)
      const client = await WsClient.open(server.ws)
      const padding = 'x'.repeat(500)
      const calls = Array.from({ length: 2000 }, (_, id) => toCallJson('test_echo', [padding], id))
      for (const call of calls) client.send(call)
      const answers = (await client.receive(calls.length)).map((text) => JSON.parse(text) as { id: number })
      expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([...calls.keys()])
      expect(client.socket.readyState).toBe(WebSocket.OPEN)
    },
  )

  test('what comes after a close frame is not counted, because nothing keeps it', async () => {
    server = await startTestServer()
    const client = await WsClient.open(server.ws)
    sockets.push({ close: () => client.socket.terminate() })
    const { _socket: socket } = client.socket as unknown as { readonly _socket: Socket } // ws hides it
    const closeFrame = Buffer.from([0x88, 0x80, 0, 0, 0, 0])
    const most = await mostUsed(server, async () => {
      socket.write(closeFrame)
      for (let count = 0; count < 20; count++)
        await new Promise((resolve) => socket.write(Buffer.alloc(1_000_000), resolve))
      await sleep(100)
    })
    expect(most).toBeLessThan(2_000_000)
  })

  test('one that sends pongs that nobody asked for is cut all the same', async () => {
    server = await startTestServer(['--json-rpc.ws-ping-interval=200ms'])
    const client = await WsClient.open(server.ws, { autoPong: false })
    const timer = setInterval(() => {
      if (client.socket.readyState === WebSocket.OPEN) client.socket.pong('here')
    }, 50)
    expect((await client.closed).code).toBe(1006)
    clearInterval(timer)
  })

  test('pings are answered, and too many of them close the socket with 1008', async () => {
    server = await startTestServer()
    const client = await WsClient.open(server.ws)
    const pongs: string[] = []
    client.socket.on('pong', (data) => pongs.push(String(data)))
    for (let count = 0; count < 5; count++) client.socket.ping(`ping ${count}`)
    await eventually(() => pongs.length === 5)
    expect(pongs).toEqual(Array.from({ length: 5 }, (_, count) => `ping ${count}`))
    for (let count = 0; count < 5000; count++) client.socket.ping('x')
    expect((await client.closed).code).toBe(1008)
  })
})

describe('classes of work', () => {
  const method = defineMethod<TestContext>()
  const common = {
    summary: 'For tests.',
    access: 'public',
    params: [],
    result: { name: 'result', type: plainType(z.boolean()) },
    examples: [],
  } as const
  let release: (() => void)[] = []
  const held = (): Promise<boolean> => new Promise((resolve) => release.push(() => resolve(true)))
  /** Lets calls end as they begin, until all have been answered: a class may begin the next one a turn later. */
  const releaseAll = async <T>(answered: Promise<T>): Promise<T> => {
    const timer = setInterval(() => {
      for (const resolve of release.splice(0)) resolve()
    }, 5)
    try {
      return await answered
    } finally {
      clearInterval(timer)
    }
  }
  const methods = [
    ...testMethods,
    method({ ...common, name: 'test_state', work: 'state', handler: held }),
    method({ ...common, name: 'test_write', work: 'write', handler: held }),
    method({ ...common, name: 'test_logs', work: 'logs', handler: held }),
    method({
      ...common,
      name: 'test_poll',
      work: 'state',
      params: [param('isSearch', plainType(z.boolean()), 'Whether it waits with searches.')],
      workOf: ([isSearch]) => (isSearch ? 'logs' : 'state'),
      handler: () => true,
    }),
    method({ ...common, name: 'test_evm', work: 'evm', handler: () => true }),
  ]
  const classCalls = (work: string, state: string): Promise<number> =>
    readGauge(server.registry, 'perihelion_rpc_class_calls', { class: work, state })

  test('a flood in one fills its own queue and no other', async () => {
    release = []
    server = await startTestServer(['--json-rpc.state-permits=2', '--json-rpc.state-queue=3'], { methods })
    const flood = Array.from({ length: 5 }, (_, id) =>
      postJson(server.http, toCallJson('test_state', [], id)),
    )
    await eventually(async () => (await classCalls('state', 'waiting')) === 3)
    expect(await classCalls('state', 'running')).toBe(2)
    const refused = JSON.parse(await postJson(server.http, toCallJson('test_state'))) as { error: object }
    expect(refused.error).toMatchObject({
      code: -32005,
      message: expect.stringMatching(/json-rpc\.state-queue/),
    })
    const write = postJson(server.http, toCallJson('test_write'))
    await eventually(async () => (await classCalls('write', 'running')) === 1)
    for (const name of ['test_evm', 'test_echo'])
      expect(await postJson(server.http, toCallJson(name, []))).toMatch(/"result"/)
    const answered = Promise.all([...flood, write]).then((texts) => texts.map(parseResult))
    expect(await releaseAll(answered)).toEqual(Array.from({ length: 6 }, () => true))
  })

  test('searches for logs hold up one another alone, and a call may say with whom it waits', async () => {
    release = []
    server = await startTestServer(['--json-rpc.logs-permits=1', '--json-rpc.logs-queue=2'], { methods })
    const searches = Array.from({ length: 2 }, () => postJson(server.http, toCallJson('test_logs')))
    await eventually(async () => (await classCalls('logs', 'waiting')) === 1)
    expect(await postJson(server.http, toCallJson('test_poll', [false]))).toMatch(/"result":true/)
    const poll = postJson(server.http, toCallJson('test_poll', [true]))
    await eventually(async () => (await classCalls('logs', 'waiting')) === 2)
    expect(await postJson(server.http, toCallJson('test_poll', [true]))).toMatch(/json-rpc\.logs-queue/)
    const answered = Promise.all([...searches, poll])
    expect((await releaseAll(answered)).map(parseResult)).toEqual([true, true, true])
  })

  test('batches of sends begin together, however many there are', async () => {
    release = []
    const send = method({
      ...common,
      name: 'test_send',
      work: 'write',
      isPipelined: true,
      handler: async () => {
        // Work of this thread, so that one turn is not enough for a batch.
        const until = performance.now() + 0.05
        while (performance.now() < until);
        return true
      },
    })
    server = await startTestServer([], { methods: [...methods, send] })
    const batch = `[${Array.from({ length: 1000 }, (_, id) => toCallJson('test_send', [], id)).join()}]`
    const texts = await Promise.all(Array.from({ length: 4 }, () => postJson(server.http, batch)))
    for (const text of texts) expect(text.match(/"result":true/g)).toHaveLength(1000)
  })

  test('clients that go away give their permits and their places back', slow, async () => {
    release = []
    server = await startTestServer(['--json-rpc.state-permits=2', '--json-rpc.state-queue=3'], { methods })
    for (let count = 0; count < 5; count++) (await open()).send(httpPost(toCallJson('test_state')))
    await eventually(async () => (await classCalls('state', 'waiting')) === 3)
    for (const socket of sockets) socket.close()
    await eventually(async () => (await classCalls('state', 'waiting')) === 0)
    for (const resolve of release.splice(0)) resolve()
    await eventually(async () => (await classCalls('state', 'running')) === 0)
    await eventually(async () => (await usedMemory(server)) === 0)
  })
})
