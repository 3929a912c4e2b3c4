import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendHttp } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { forgeToken } from '../../support/rpc/forgeToken.ts'
import { openConnections, readGauge } from '../../support/rpc/gauges.ts'
import { RawSocket } from '../../support/rpc/rawSocket.ts'
import { refusedUpgrade, WsClient } from '../../support/rpc/wsClient.ts'
import { slow } from '../../support/slow.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

const flags = [
  '--json-rpc.max-body-size=4000',
  '--json-rpc.cors=https://app.example',
  '--json-rpc.vhosts=rpc.example',
]

describe('WebSocket', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(flags)
  })
  afterAll(() => server.close())

  const bearer = (claims: object): Record<string, string> => ({
    Authorization: `Bearer ${forgeToken({ claims, secret: server.secret })}`,
  })

  test('upgrades are served on the WebSocket address and on the HTTP address', async () => {
    for (const url of [server.ws, server.http.replace('http', 'ws')]) {
      const client = await WsClient.open(url)
      expect(parseResult(await client.ask(toCallJson('test_echo', ['hi'])))).toBe('hi')
      client.socket.close()
      expect((await client.closed).code).toBe(1005)
    }
  })

  test('plain requests on the WebSocket address are told what it is for', async () => {
    const { status, headers, body } = await sendHttp(server.ws.replace('ws', 'http'), { method: 'GET' })
    expect(status).toBe(426)
    expect(headers.upgrade).toBe('websocket')
    expect(body).toContain('WebSocket only')
  })

  describe('who may upgrade', () => {
    test.each([
      ['no origin', undefined],
      ['a listed origin', 'https://app.example'],
      ['a listed origin in other letters', 'HTTPS://APP.EXAMPLE'],
      ['a Chrome extension', 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'],
      ['a Firefox extension', 'moz-extension://2c6b3d2e-8f0a-4f44-9a3e-0a1b2c3d4e5f'],
      ['the origin of the server itself', 'same'],
    ])('%s may', async (_, origin) => {
      const own = server.ws.replace('ws', 'http')
      const headers = origin === undefined ? {} : { Origin: origin === 'same' ? own : origin }
      const client = await WsClient.open(server.ws, { headers })
      client.socket.close()
    })

    test.each([
      'https://evil.example',
      'https://app.example.evil.example',
      'https://app.example:444',
      'http://app.example',
      'null',
      'http://localhost:3000',
      'chrome-extension.evil.example',
    ])('the origin %s may not', async (origin) => {
      const { status, body } = await refusedUpgrade(server.ws, { Origin: origin })
      expect(status).toBe(403)
      expect(body).toContain('--json-rpc.cors')
    })

    test('pages on localhost may in the dev profile', async () => {
      const dev = await startTestServer(['--dev=true'])
      const client = await WsClient.open(dev.ws, { headers: { Origin: 'http://localhost:3000' } })
      client.socket.close()
      await dev.close()
    })

    test('a host that is not allowed is refused, a listed one is not', async () => {
      const { status, body } = await refusedUpgrade(server.ws, { Host: 'evil.example' })
      expect(status).toBe(403)
      expect(body).toContain('--json-rpc.vhosts evil.example')
      const client = await WsClient.open(server.ws, { headers: { Host: 'rpc.example' } })
      client.socket.close()
    })

    test('a bad token is refused with the reason', async () => {
      const { status, body } = await refusedUpgrade(server.ws, bearer({ iat: -120 }))
      expect(status).toBe(401)
      expect(body).toContain('iat is more than 60 s from now')
    })

    test.each([
      ['two hosts', 'Host: evil.example\r\n', '/', 400],
      ['two equal hosts', 'host: localhost\r\n', '/', 400],
      ['two origins', 'Origin: https://app.example\r\nOrigin: http://evil\r\n', '/', 400],
      ['a target elsewhere', '', 'http://evil.example/', 400],
    ])('%s are refused', async (_, headers, target, status) => {
      const raw = await RawSocket.open(server.ws)
      raw.send(
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      )
      await raw.closed
      expect(raw.text).toContain(`HTTP/1.1 ${status} `)
    })

    test.each([
      ['8', 426, 'Sec-WebSocket-Version: 8\r\n'],
      ['7', 426, 'Sec-WebSocket-Version: 7\r\n'],
      ['0xd', 426, 'Sec-WebSocket-Version: 0xd\r\n'],
      ['13 and 8', 426, 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Version: 8\r\n'],
      ['none', 400, ''],
    ])('version %s is refused with the one that is served', async (_, status, header) => {
      const raw = await RawSocket.open(server.ws)
      raw.send(
        `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${header}` +
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      )
      await Promise.race([raw.closed, raw.receive(/101 Switching/)])
      raw.close()
      expect(raw.text).toContain(`HTTP/1.1 ${status} `)
      expect(raw.text).toMatch(/^Sec-WebSocket-Version: 13\r$/m)
      expect(raw.text).toMatch(/^Upgrade: websocket\r$/m)
    })

    test('a refused connection is closed, whatever its client does', async () => {
      const raw = await RawSocket.open(server.ws)
      raw.send(
        'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://evil\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      )
      await raw.closed
      expect(raw.text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    })
  })

  describe('the token of the upgrade', () => {
    test('counts for private calls, in a batch too', async () => {
      const client = await WsClient.open(server.ws, { headers: bearer({ iat: 0 }) })
      expect(parseResult(await client.ask(toCallJson('test_private')))).toBe(true)
      const batch = JSON.parse(
        await client.ask(`[${toCallJson('test_echo', [1])},${toCallJson('test_private')}]`),
      )
      expect(batch).toMatchObject([{ result: 1 }, { result: true }])
      client.socket.close()
    })

    test('counts until it expires, call by call', slow, async () => {
      const client = await WsClient.open(server.ws, { headers: bearer({ iat: 0, exp: 2 }) })
      expect(parseResult(await client.ask(toCallJson('test_private')))).toBe(true)
      // A batch that is under way when the token ends: what comes before is allowed, what comes after is not.
      const batch = JSON.parse(
        await client.ask(
          `[${toCallJson('test_private')},${toCallJson('test_sleep', [2500])},${toCallJson('test_private')}]`,
        ),
      )
      expect(batch).toMatchObject([{ result: true }, { result: 2500 }, { error: { code: 4100 } }])
      expect(JSON.parse(await client.ask(toCallJson('test_private')))).toMatchObject({
        error: { code: 4100 },
      })
      expect(parseResult(await client.ask(toCallJson('test_echo', [1])))).toBe(1)
      client.socket.close()
    })

    test('without one private calls are refused', async () => {
      const client = await WsClient.open(server.ws)
      expect(JSON.parse(await client.ask(toCallJson('test_private')))).toMatchObject({
        error: { code: 4100 },
      })
      client.socket.close()
    })
  })

  describe('messages', () => {
    test('a message of the largest size is answered, a larger one closes the socket with 1009', async () => {
      const client = await WsClient.open(server.ws)
      const padding = 4000 - toCallJson('test_echo', ['']).length
      expect(parseResult(await client.ask(toCallJson('test_echo', ['x'.repeat(padding)])))).toHaveLength(
        padding,
      )
      client.send(toCallJson('test_echo', ['x'.repeat(padding + 1)]))
      expect((await client.closed).code).toBe(1009)
    })

    test('a message in a binary frame is answered in a text frame', async () => {
      const client = await WsClient.open(server.ws)
      const isBinary = new Promise((resolve) => client.socket.once('message', (_, binary) => resolve(binary)))
      client.send(Buffer.from(toCallJson('test_raw')), { binary: true })
      expect(parseResult((await client.receive(1))[0] as string)).toEqual({ as: 'it is' })
      expect(await isBinary).toBe(false)
      client.socket.close()
    })

    test.each([true, false])(
      'bytes that are not UTF-8 close the socket with 1007 (binary frame: %s)',
      async (binary) => {
        const client = await WsClient.open(server.ws)
        client.send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), { binary })
        expect((await client.closed).code).toBe(1007)
      },
    )

    test('what is not JSON is an answer, not an end', async () => {
      const client = await WsClient.open(server.ws)
      expect(JSON.parse(await client.ask('{"jsonrpc"'))).toMatchObject({ id: null, error: { code: -32700 } })
      expect(parseResult(await client.ask(toCallJson('test_echo', [1])))).toBe(1)
      client.socket.close()
    })

    test('many calls are in flight at a time, and each answer finds its id', async () => {
      const client = await WsClient.open(server.ws)
      const count = 500
      // The first are the slowest: answers come as they are ready.
      for (let id = 0; id < count; id++) client.send(toCallJson('test_sleep', [id < 20 ? 200 : 1], id))
      const answers = (await client.receive(count)).map((text) => JSON.parse(text) as { id: number })
      expect(answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual([...Array(count).keys()])
      expect(answers[0]?.id).toBeGreaterThanOrEqual(20)
      client.socket.close()
    })

    test('a client that leaves takes its calls with it', async () => {
      const before = server.context.aborted
      const client = await WsClient.open(server.ws)
      for (let id = 0; id < 10; id++) client.send(toCallJson('test_sleep', [20_000], id))
      await client.ask(toCallJson('test_echo', [1]))
      client.socket.terminate()
      await eventually(() => server.context.aborted === before + 10)
    })
  })

  test('when all have left, none is counted', async () => {
    await eventually(async () => (await openConnections(server.registry)) === 0)
  })
})

describe('pings', () => {
  test('a peer that answers stays, one that is dead is cut', async () => {
    const server = await startTestServer(['--json-rpc.ws-ping-interval=100ms'])
    const [alive, dead] = [
      await WsClient.open(server.ws),
      await WsClient.open(server.ws, { autoPong: false }),
    ]
    let pings = 0
    alive.socket.on('ping', () => pings++)
    expect((await dead.closed).code).toBe(1006)
    const seen = pings
    await eventually(() => pings > seen + 3)
    expect(parseResult(await alive.ask(toCallJson('test_echo', [1])))).toBe(1)
    await server.close()
  })

  test('a peer that we do not read for a while is not dead', slow, async () => {
    // One call a second: the socket is paused longer than two pings take, its pongs unread.
    const server = await startTestServer([
      '--json-rpc.ws-ping-interval=100ms',
      '--json-rpc.rate-limit=1',
      '--json-rpc.rate-limit-burst=2',
    ])
    const client = await WsClient.open(server.ws)
    for (let id = 0; id < 4; id++) client.send(toCallJson('test_echo', [id], id))
    expect(await client.receive(4)).toHaveLength(4)
    await server.close()
  })
})

describe('slow readers', () => {
  test('one is closed with 1013 past its backlog; the others notice nothing', async () => {
    const server = await startTestServer(['--json-rpc.ws-max-backlog=1MB'])
    const [slow, quick] = [await WsClient.open(server.ws), await WsClient.open(server.ws)]
    slow.socket.pause()
    for (let id = 0; id < 60; id++) slow.send(toCallJson('test_fill', [500_000], id))
    await eventually(
      async () =>
        (await readGauge(server.registry, 'perihelion_rpc_rejected_total', { reason: 'backlog' })) > 0,
    )
    expect(parseResult(await quick.ask(toCallJson('test_fill', [500_000])))).toHaveLength(500_000)
    slow.socket.resume()
    const { code, reason } = await slow.closed
    expect({ code, reason }).toEqual({ code: 1013, reason: expect.stringContaining('too slow') })
    // What the sockets of both sides hold comes on top of the backlog; 60 answers would be 30 MB.
    expect(slow.messages.length).toBeLessThan(40)
    expect(parseResult(await quick.ask(toCallJson('test_echo', [1])))).toBe(1)
    await server.close()
  })

  test('one that never reads again is cut all the same', slow, async () => {
    const server = await startTestServer(['--json-rpc.ws-max-backlog=1MB'])
    const slow = await WsClient.open(server.ws)
    slow.socket.pause()
    for (let id = 0; id < 60; id++) slow.send(toCallJson('test_fill', [500_000], id))
    await eventually(async () => (await openConnections(server.registry)) === 0)
    slow.socket.terminate()
    await server.close()
  })

  test('one large answer is not a backlog', async () => {
    const server = await startTestServer(['--json-rpc.ws-max-backlog=1MB', '--json-rpc.ws-total-backlog=1MB'])
    const client = await WsClient.open(server.ws)
    for (let round = 0; round < 3; round++) {
      expect(parseResult(await client.ask(toCallJson('test_fill', [8_000_000])))).toHaveLength(8_000_000)
    }
    await server.close()
  })

  test('together they may not wait for more than the total', slow, async () => {
    const server = await startTestServer([
      '--json-rpc.ws-max-backlog=50MB',
      '--json-rpc.ws-total-backlog=20MB',
    ])
    const slow = await Promise.all(Array.from({ length: 5 }, () => WsClient.open(server.ws)))
    const quick = await WsClient.open(server.ws)
    for (const client of slow) client.socket.pause()
    // 5 × 12 MB: none is over its own limit.
    for (const client of slow) {
      for (let id = 0; id < 24; id++) client.send(toCallJson('test_fill', [500_000], id))
    }
    await eventually(
      async () =>
        (await readGauge(server.registry, 'perihelion_rpc_rejected_total', { reason: 'backlog' })) > 0,
    )
    expect(parseResult(await quick.ask(toCallJson('test_echo', [1])))).toBe(1)
    for (const client of slow) client.socket.resume()
    // One that has all its answers may be closed after them.
    const codes = await Promise.all(
      slow.map(async (client) => {
        const closed = client.closed.then(({ code }) => code)
        const answered = (count: number) =>
          client.receive(count).then(
            () => 0,
            () => closed,
          )
        await Promise.race([closed, answered(24)])
        client.send(toCallJson('test_echo', [1]))
        return Promise.race([closed, answered(25)])
      }),
    )
    expect(codes).toContain(1013)
    expect(codes.filter((code) => code !== 0 && code !== 1013)).toEqual([])
    await server.close()
  })
})

describe('draining', () => {
  test('what runs is answered, then the socket is closed with 1001', async () => {
    const server = await startTestServer()
    const [busy, idle] = [await WsClient.open(server.ws), await WsClient.open(server.ws)]
    busy.send(toCallJson('test_sleep', [500], 'slow'))
    await busy.ask(toCallJson('test_echo', [1]))
    const closing = server.close()
    expect((await idle.closed).code).toBe(1001)
    busy.send(toCallJson('test_hear', ['too late']))
    expect((await busy.closed).code).toBe(1001)
    expect(parseResult(busy.messages.at(-1) as string)).toBe(500)
    expect(server.context.heard).toEqual([])
    await closing
  })

  test('a client that goes on calling does not hold it up', async () => {
    const server = await startTestServer()
    const client = await WsClient.open(server.ws)
    const timer = setInterval(() => client.send(toCallJson('test_sleep', [100])), 10)
    await client.receive(5)
    const startedAt = Date.now()
    await server.close()
    clearInterval(timer)
    // Far below the 5 s after which it would be cut.
    expect(Date.now() - startedAt).toBeLessThan(5000)
    expect((await client.closed).code).toBe(1001)
  })

  test('a client that is over its rate does not hold it up', async () => {
    const server = await startTestServer(['--json-rpc.rate-limit=1', '--json-rpc.rate-limit-burst=2'])
    const client = await WsClient.open(server.ws)
    for (let id = 0; id < 20; id++) client.send(toCallJson('test_echo', [id], id))
    await client.receive(1)
    const startedAt = Date.now()
    await server.close()
    expect(Date.now() - startedAt).toBeLessThan(5000)
    expect((await client.closed).code).toBe(1001)
  })

  test('a peer that is gone does not hold it up for longer than the grace', slow, async () => {
    const server = await startTestServer()
    const raw = await RawSocket.open(server.ws)
    raw.send(
      'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    await raw.receive(/\r\n\r\n/)
    await Promise.race([server.close(), sleep(15_000).then(() => Promise.reject(new Error('still open')))])
    raw.close()
  })
})
