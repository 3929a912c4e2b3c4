import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { type ServerProcess, startServerProcess } from '../../support/rpc/serverProcess.ts'
import { slow } from '../../support/slow.ts'
import { readers } from '../../support/testServer.ts'

/** Small limits, so that the test is short; what is asserted is each limit with this much time on top for a busy machine. */
const limits = { header: 1000, request: 2000, idle: 1000 }
const slackMs = 15_000

const flags = [
  `--json-rpc.http-header-timeout=${limits.header}ms`,
  `--json-rpc.http-timeout=${limits.request}ms`,
  `--json-rpc.http-idle-timeout=${limits.idle}ms`,
]

/** Ways to hold a connection without ever finishing: what is sent at once, and what comes byte by byte after it. */
const attacks: readonly {
  readonly name: string
  readonly first: string
  readonly drip: string
  readonly limitMs: number
}[] = [
  { name: 'silent', first: '', drip: '', limitMs: limits.header },
  {
    name: 'dripping headers',
    first: 'POST / HTTP/1.1\r\nHost: localhost\r\nX-A: ',
    drip: 'a',
    limitMs: limits.header,
  },
  {
    name: 'dripping a body',
    first: httpPost(toCallJson('test_echo', ['x'.repeat(5000)])).slice(0, 200),
    drip: 'x',
    limitMs: limits.request,
  },
  {
    name: 'idle after a request',
    first: httpPost(toCallJson('test_echo', [1])),
    drip: '',
    limitMs: limits.idle,
  },
]

interface Held {
  readonly name: string
  readonly heldMs: number
  readonly limitMs: number
}

/** Opens the connections, evenly by attack, and tells how long each one was held. */
const flood = async (url: string, count: number): Promise<readonly Held[]> => {
  const held: Promise<Held>[] = []
  const drips = new Map<RawSocket, string>()
  const dripping = setInterval(() => {
    for (const [raw, drip] of drips) raw.send(drip)
  }, 250)
  for (let opened = 0; opened < count; opened++) {
    const { name, first, drip, limitMs } = attacks[opened % attacks.length] as (typeof attacks)[number]
    const raw = await RawSocket.open(url)
    const openedAt = Date.now()
    raw.send(first)
    if (drip !== '') drips.set(raw, drip)
    held.push(
      raw.closed.then(() => {
        drips.delete(raw)
        return { name, heldMs: Date.now() - openedAt, limitMs }
      }),
    )
  }
  const all = await Promise.race([Promise.all(held), sleep(60_000, undefined)])
  clearInterval(dripping)
  if (all === undefined) throw new Error('some connections are still open')
  return all
}

describe('a flood of slow connections', () => {
  let server: ServerProcess | undefined
  afterEach(() => server?.stop())

  test.each(readers)(
    'all 1,000 are closed within the limits, and everybody else is served meanwhile, read by %s',
    {
      ...slow,
      timeout: 120_000,
    },
    async (reader) => {
      server = await startServerProcess(flags, { reader })
      const { http, connections, memory } = server
      await flood(http, 100) // so that what is made once is there before memory is measured
      await eventually(async () => (await connections()) === 0)
      const before = await memory()

      let isOver = false
      let most = 0
      const normalClient = (async () => {
        let answered = 0
        while (!isOver) {
          expect(parseResult(await postJson(http, toCallJson('test_echo', [answered])))).toBe(answered)
          answered++
          most = Math.max(most, await connections())
          await sleep(20)
        }
        return answered
      })()
      const held = await flood(http, 1000).finally(() => (isOver = true))
      const answered = await normalClient

      expect(held).toHaveLength(1000)
      expect(held.filter(({ heldMs, limitMs }) => heldMs > limitMs + slackMs)).toEqual([])
      expect(most).toBeGreaterThan(200) // it was a flood
      expect(answered).toBeGreaterThan(3)
      await eventually(async () => (await connections()) === 0)
      const after = await memory()
      // A connection that leaks holds more than 5 KB: socket, parser and timers.
      expect(after - before).toBeLessThan(1000 * 5000)
    },
  )

  test('a body in chunks of one byte holds no more memory than its bytes', slow, async () => {
    server = await startServerProcess([])
    const { http, memory } = server
    expect(parseResult(await postJson(http, toCallJson('test_echo', [1])))).toBe(1)
    const before = await memory()
    const raw = await RawSocket.open(http)
    raw.send(
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const chunks = 300_000
    raw.send(`1\r\n[\r\n${'1\r\n \r\n'.repeat(chunks)}`)
    await eventually(() => raw.socket.writableLength === 0)
    // The server says nothing of how far it has read: it is watched for a while.
    let most = 0
    for (let look = 0; look < 20; look++) {
      most = Math.max(most, (await memory()) - before)
      await sleep(100)
    }
    expect(most).toBeLessThan(15_000_000)
    // All of it was there: the rest makes it an empty batch.
    await raw.send('1\r\n]\r\n0\r\n\r\n').receive(/empty batch/)
    raw.close()
  })

  test('without descriptors left, those inside are served, and the others once there are some again', {
    ...slow,
    timeout: 60_000,
  }, async () => {
    server = await startServerProcess([], { maxDescriptors: 100 })
    const { http, child } = server
    const inside = await RawSocket.open(http)
    await inside.send(httpPost(toCallJson('test_echo', ['early']))).receive(/early/)
    const crowd = await Promise.all(
      Array.from({ length: 300 }, () => RawSocket.open(http).catch(() => undefined)),
    )
    await sleep(300)
    await inside.send(httpPost(toCallJson('test_echo', ['still served']))).receive(/still served/)
    for (const raw of crowd) raw?.close()
    await eventually(
      async () => parseResult(await postJson(http, toCallJson('test_echo', [1])).catch(() => '{}')) === 1,
    )
    expect(child.exitCode).toBeNull()
    inside.close()
  })
})
