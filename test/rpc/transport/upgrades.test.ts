import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { openConnections } from '../../support/rpc/gauges.ts'
import { countOccurrences, httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

/** What Java's HttpClient sends along with its first requests. */
const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB']

describe('an upgrade that we do not know is ignored (RFC 9110, 7.8)', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(['--json-rpc.max-body-size=1MB'])
  })
  afterAll(() => server.close())

  test('a POST that offers h2c is answered as if it did not', async () => {
    const raw = await RawSocket.open(server.http)
    await raw
      .send(httpPost(toCallJson('test_echo', ['hi']), h2c))
      .receive(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"result":"hi"/)
    expect(await openConnections(server.registry)).toBe(1)
    raw.close()
    await eventually(async () => (await openConnections(server.registry)) === 0)
  })

  test('its body may come later and in parts', async () => {
    const raw = await RawSocket.open(server.http)
    const request = httpPost(toCallJson('test_echo', ['x'.repeat(300_000)]), h2c)
    for (const [from, to] of [
      [0, 20],
      [20, 350],
      [350, 100_000],
      [100_000, undefined],
    ] as const) {
      raw.send(request.slice(from, to))
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    await raw.receive(/"result":"x{300000}"/)
    raw.close()
  })

  test('a connection goes on with offers in each request, and nothing piles up on it', async () => {
    const raw = await RawSocket.open(server.http)
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    for (let id = 1; id <= 100; id++) {
      raw.send(httpPost(toCallJson('test_echo', [id], id), id % 10 === 0 ? [] : h2c))
      await raw.receive((text) => text.includes(`"id":${id},"result":${id}`))
    }
    process.off('warning', note)
    expect(warnings).toEqual([]) // such as one about too many listeners
    expect(await openConnections(server.registry)).toBe(1)
    raw.close()
    await eventually(async () => (await openConnections(server.registry)) === 0)
  })

  test('pipelined, each waits for the answers before it', async () => {
    const raw = await RawSocket.open(server.http)
    const delays = [150, 50, 0, 100, 0]
    raw.send(
      delays.map((ms, id) => httpPost(toCallJson('test_sleep', [ms], id), id % 2 === 1 ? h2c : [])).join(''),
    )
    await raw.receive((text) => countOccurrences(text, '"result"') === delays.length)
    expect([...raw.text.matchAll(/"id":(\d)/g)].map(([, id]) => Number(id))).toEqual([0, 1, 2, 3, 4])
    raw.close()
  })

  test('the same rules hold: content type, host, size, token', async () => {
    const statusOf = async (request: string): Promise<string | undefined> => {
      const raw = await RawSocket.open(server.http)
      await raw.send(request).receive(/\r\n\r\n[\s\S]+/)
      raw.close()
      return /^HTTP\/1\.1 (\d+)/.exec(raw.text)?.[1]
    }
    const request = httpPost(toCallJson('test_echo'), h2c)
    expect(await statusOf(request)).toBe('200')
    expect(await statusOf(request.replace('application/json', 'text/plain'))).toBe('415')
    expect(await statusOf(request.replace('localhost', 'evil.example'))).toBe('403')
    expect(await statusOf(httpPost(toCallJson('test_echo'), [...h2c, 'Authorization: Bearer x']))).toBe('401')
    expect(await statusOf(httpPost('x'.repeat(1_000_001), h2c))).toBe('413')
  })

  test('Connection: close among the options is kept', async () => {
    const raw = await RawSocket.open(server.http)
    const offer = ['Connection: close, Upgrade, HTTP2-Settings', ...h2c.slice(1)]
    raw.send(httpPost(toCallJson('test_echo', ['bye']), offer))
    await raw.closed
    expect(raw.text).toContain('"result":"bye"')
  })

  test('a GET with an unknown offer gets its page', async () => {
    const raw = await RawSocket.open(server.http)
    raw.send('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2\r\n\r\n')
    await raw.receive(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"status":"ok"/)
    raw.close()
  })

  test('a client that goes away right after the offer does no harm', async () => {
    for (let round = 0; round < 20; round++) {
      const raw = await RawSocket.open(server.http)
      raw.send(httpPost(toCallJson('test_sleep', [1]), []) + httpPost(toCallJson('test_echo'), h2c))
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      raw.socket.resetAndDestroy()
    }
    await eventually(async () => (await openConnections(server.registry)) === 0)
  })

  test('a WebSocket upgrade behind a call that runs comes after its answer', async () => {
    const raw = await RawSocket.open(server.http)
    raw.send(
      `${httpPost(toCallJson('test_sleep', [200]))}GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    await raw.receive(/^HTTP\/1\.1 200 OK[\s\S]*"result":200[\s\S]*HTTP\/1\.1 101 /)
    raw.close()
  })

  test('what is not a WebSocket handshake is refused with a status', async () => {
    const raw = await RawSocket.open(server.http)
    raw.send('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await raw.closed
    expect(raw.text).toMatch(/^HTTP\/1\.1 400 /)
    await eventually(async () => (await openConnections(server.registry)) === 0)
  })
})
