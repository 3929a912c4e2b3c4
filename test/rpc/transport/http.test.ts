import { networkInterfaces } from 'node:os'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson, sendHttp } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { openConnections, readGauge } from '../../support/rpc/gauges.ts'
import { countOccurrences, httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { slow } from '../../support/slow.ts'
import { readers, startTestServer as start, type TestServer } from '../../support/testServer.ts'

const json = { 'Content-Type': 'application/json' }

describe.each(readers)('read by %s', (reader) => {
  const startTestServer = (flags: readonly string[] = []): Promise<TestServer> => start(flags, { reader })

  describe('HTTP connections', () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startTestServer(['--json-rpc.max-body-size=100KB', '--json-rpc.max-open-connections=50'])
    })
    afterAll(() => server.close())

    test('one connection serves many requests', async () => {
      const raw = await RawSocket.open(server.http)
      for (let round = 1; round <= 5; round++) {
        raw.send(httpPost(toCallJson('test_echo', [round], round)))
        await raw.receive((text) => text.includes(`"id":${round},"result":${round}`))
      }
      expect(raw.text).toContain('Connection: keep-alive')
      raw.close()
    })

    test('pipelined requests are answered in order, the slow ones too', async () => {
      const raw = await RawSocket.open(server.http)
      const delays = [200, 0, 100, 0, 50]
      raw.send(delays.map((ms, id) => httpPost(toCallJson('test_sleep', [ms], id))).join(''))
      await raw.receive((text) => countOccurrences(text, '"result"') === delays.length)
      const ids = [...raw.text.matchAll(/"id":(\d)/g)].map(([, id]) => Number(id))
      expect(ids).toEqual([0, 1, 2, 3, 4])
      raw.close()
    })

    test('hundreds of pipelined requests that node:http reads are all answered, thousands end the connection', async () => {
      const head =
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
      const request = `${head}2\r\n[]\r\n0\r\n\r\n`
      const many = await RawSocket.open(server.http)
      many.send(request.repeat(600))
      await many.receive((text) => countOccurrences(text, 'HTTP/1.1 200') === 600)
      many.close()
      const flood = await RawSocket.open(server.http)
      flood.send(request.repeat(4_000))
      await flood.closed
      expect(countOccurrences(flood.text, 'HTTP/1.1 200')).toBeLessThan(4_000)
      expect(countOccurrences(flood.text, 'HTTP/1.1 429')).toBe(1)
      expect(flood.text).toContain('wait for responses, or send a batch')
    })

    test.each([
      ['two hosts', '/', ['Host: evil.example'], 400],
      ['two equal hosts', '/', ['host: localhost'], 400],
      ['two origins', '/', ['Origin: http://localhost', 'Origin: http://evil.example'], 400],
      ['two content types', '/', ['Content-Type: text/plain'], 400],
      ['two tokens', '/', ['Authorization: Bearer a', 'Authorization: Bearer b'], 400],
      ['a target elsewhere', 'http://evil.example/', [], 400],
      ['a target without a scheme', 'evil.example', [], 400],
      ['a target with its own host', 'http://LOCALHOST/', [], 200],
      ['the origin of the server itself', '/', ['Origin: http://localhost'], 200],
      ['another origin', '/', ['Origin: http://localhost:1'], 403],
    ])('%s: %s %j is %i', async (_, target, headers, status) => {
      server.context.heard.length = 0
      const raw = await RawSocket.open(server.http)
      const request = httpPost(toCallJson('test_hear', ['x']), [...headers, 'Connection: close'])
      raw.send(request.replace('POST /', `POST ${target}`))
      await raw.closed
      expect(raw.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(server.context.heard).toEqual(status === 200 ? ['x'] : [])
    })

    test.each([
      ['Host: Remix.Example:8545', '--json-rpc.vhosts remix.example'],
      ['Host: <b>.example', '--json-rpc.vhosts'],
      ['Origin: https://remix.ethereum.org', '--json-rpc.cors https://remix.ethereum.org'],
      ['Origin: http://app.example:3000', '--json-rpc.cors http://app.example:3000'],
      ['Origin: null', '--json-rpc.cors'],
      [`Origin: https://${'a'.repeat(1000)}.example`, '--json-rpc.cors'],
      ['Origin: https://app.example/<b>', '--json-rpc.cors'],
    ])('a 403 for %s ends with the value to set', async (header, remedy) => {
      const raw = await RawSocket.open(server.http)
      const request = httpPost(toCallJson('test_hear', ['x']), ['Connection: close'])
      const [name = ''] = header.split(':')
      raw.send(
        name === 'Host'
          ? request.replace(/Host: [^\r]*/, header)
          : request.replace('\r\n', `\r\n${header}\r\n`),
      )
      await raw.closed
      expect(raw.text).toMatch(/^HTTP\/1\.1 403 /)
      expect(raw.text.trimEnd().endsWith(remedy), raw.text).toBe(true)
    })

    test('a body in chunks of one byte is read', async () => {
      const raw = await RawSocket.open(server.http)
      const body = toCallJson('test_echo', ['x'.repeat(20_000)])
      const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('')
      raw.send(
        `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      )
      await raw.receive(/"result":"x{20000}"/)
      raw.close()
    })

    test('a body that is announced too large is refused, and the client that sends it still reads why', async () => {
      const raw = await RawSocket.open(server.http)
      raw.send(httpPost('x'.repeat(150_000)))
      await raw.receive(/^HTTP\/1\.1 413 [\s\S]*max-body-size/)
      await raw.closed
    })

    test('a client that reads nothing before it has sent everything still reads why', async () => {
      const raw = await RawSocket.open(server.http)
      raw.socket.pause()
      const [head = '', body = ''] = httpPost('x'.repeat(150_000)).split('\r\n\r\n')
      raw.send(`${head}\r\n\r\n`)
      for (let sent = 0; sent < body.length; sent += 15_000) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        raw.send(body.slice(sent, sent + 15_000))
      }
      raw.socket.resume()
      await raw.closed
      expect(raw.text).toMatch(/^HTTP\/1\.1 413 [\s\S]*max-body-size/)
    })

    test('a body that turns out too large is refused likewise', async () => {
      const raw = await RawSocket.open(server.http)
      raw.send(
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      )
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
      for (let sent = 0; sent < 8; sent++) {
        raw.send(chunk)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      await raw.receive(/^HTTP\/1\.1 413 [\s\S]*max-body-size/)
      raw.send('0\r\n\r\n')
      await raw.closed
    })

    test('a client that never stops sending is cut', async () => {
      const raw = await RawSocket.open(server.http)
      raw.send(
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      )
      const timer = setInterval(() => raw.send(`4000\r\n${'x'.repeat(0x4000)}\r\n`), 1)
      await raw.closed
      clearInterval(timer)
      expect(raw.text).toMatch(/^HTTP\/1\.1 413 /)
    })

    test.each([
      ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n', 400],
      ['a broken request line', 'POST\r\n\r\n', 400],
      ['a header with a NUL', 'GET /health HTTP/1.1\r\nHost: localhost\r\nA: \0\r\n\r\n', 400],
      ['no Host in HTTP/1.1', 'GET /health HTTP/1.1\r\n\r\n', 400],
      [
        'two lengths',
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
        400,
      ],
      [
        'a length and chunks',
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
        400,
      ],
      [
        'headers of more than 16 KB',
        `GET /health HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`,
        431,
      ],
    ])('%s: the connection ends with a status', async (_, bytes, status) => {
      const raw = await RawSocket.open(server.http)
      raw.send(Buffer.from(bytes, 'latin1'))
      await raw.closed
      expect(raw.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    })

    test('a client that goes away takes its call with it', slow, async () => {
      const before = server.context.aborted
      const raw = await RawSocket.open(server.http)
      raw.send(httpPost(toCallJson('test_sleep', [20_000])))
      await eventually(() => server.context.sleeping === 1)
      raw.close()
      await eventually(() => server.context.aborted === before + 1)
    })

    test('clients that reset their connections in the middle of everything do no harm', slow, async () => {
      const partial = httpPost(toCallJson('test_sleep', [1000])).slice(0, -10)
      const bodies = [
        httpPost(toCallJson('test_echo', [1])).repeat(5),
        httpPost(toCallJson('test_sleep', [1000])),
        partial,
        'POST / HT',
      ]
      for (let round = 0; round < 10; round++) {
        const sockets = await Promise.all(bodies.map(() => RawSocket.open(server.http)))
        for (const [index, raw] of sockets.entries()) {
          raw.send(bodies[index] as string)
          if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
          raw.socket.resetAndDestroy()
        }
      }
      expect(parseResult(await postJson(server.http, toCallJson('test_echo', [1])))).toBe(1)
      await eventually(async () => (await openConnections(server.registry)) === 0)
    })

    test('connections over the cap are closed at once, and there is room again when others leave', async () => {
      const open = await Promise.all(Array.from({ length: 50 }, () => RawSocket.open(server.http)))
      await eventually(async () => (await openConnections(server.registry)) === 50)
      const over = await RawSocket.open(server.http)
      over.send(httpPost(toCallJson('test_echo', [1])))
      await over.closed
      expect(over.text).toBe('')
      const reason = { reason: 'connections' }
      expect(await readGauge(server.registry, 'perihelion_rpc_rejected_total', reason)).toBe(1)
      // The ones inside are served all the same.
      await open[0]?.send(httpPost(toCallJson('test_echo', ['in']))).receive(/"result":"in"/)
      for (const raw of open) raw.close()
      await eventually(async () => (await openConnections(server.registry)) === 0)
      expect(parseResult(await postJson(server.http, toCallJson('test_echo', [1])))).toBe(1)
    })

    test('when all have left, none is counted', async () => {
      await eventually(async () => (await openConnections(server.registry)) === 0)
    })
  })

  describe('compression', () => {
    /** An address of this machine that is not loopback. */
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address !== undefined && !address.internal && address.family === 'IPv4')?.address

    const ask = (url: string, accepted: string) =>
      sendHttp(url, {
        body: toCallJson('test_fill', [5000]),
        headers: { ...json, 'Accept-Encoding': accepted },
      })

    const bytesOf = ({ body }: { body: string }): Buffer => Buffer.from(body, 'latin1')

    test('a client elsewhere gets br or gzip as it asks, and nothing that it does not', async (ctx) => {
      if (outside === undefined) return ctx.skip('this machine has loopback addresses only')
      const server = await startTestServer([`--json-rpc.address=${outside}:0`])
      const gzipped = await ask(server.http, 'gzip')
      expect(gzipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
      expect(gzipped.headers['content-length']).toBe(String(gzipped.body.length))
      expect(parseResult(gunzipSync(bytesOf(gzipped)).toString())).toHaveLength(5000)
      const broken = await ask(server.http, 'gzip, deflate, br')
      expect(broken.headers['content-encoding']).toBe('br')
      expect(parseResult(brotliDecompressSync(bytesOf(broken)).toString())).toHaveLength(5000)
      for (const accepted of ['gzip;q=0', 'identity', 'gzip;q=0, br;q=0.0, *']) {
        const plain = await ask(server.http, accepted)
        expect(plain.headers['content-encoding']).toBeUndefined()
        expect(parseResult(plain.body)).toHaveLength(5000)
      }
      await server.close()
    })

    test('a client on this machine gets it only where it is always wanted', async () => {
      const auto = await startTestServer()
      expect((await ask(auto.http, 'gzip, br')).headers['content-encoding']).toBeUndefined()
      await auto.close()
      const always = await startTestServer(['--json-rpc.compression=always'])
      expect((await ask(always.http, 'gzip')).headers['content-encoding']).toBe('gzip')
      const small = await sendHttp(always.http, {
        body: toCallJson('test_echo'),
        headers: { ...json, 'Accept-Encoding': 'gzip' },
      })
      expect(small.headers['content-encoding']).toBeUndefined()
      await always.close()
    })

    test('a client that is gone before its answer is compressed does no harm', async () => {
      const server = await startTestServer(['--json-rpc.compression=always'])
      const raw = await RawSocket.open(server.http)
      raw.send(httpPost(toCallJson('test_fill', [20_000_000]), ['Accept-Encoding: br']))
      await new Promise((resolve) => setTimeout(resolve, 30))
      raw.socket.resetAndDestroy()
      expect(parseResult(await postJson(server.http, toCallJson('test_echo', [1])))).toBe(1)
      await server.close()
    })
  })

  describe('the rate limit', () => {
    test('over it is 429 with the seconds to wait, and a batch is charged for all its calls', async () => {
      const server = await startTestServer(['--json-rpc.rate-limit=1', '--json-rpc.rate-limit-burst=3'])
      const post = (body: string) => sendHttp(server.http, { body, headers: json })
      const batch = `[${Array.from({ length: 10 }, (_, id) => toCallJson('test_echo', [id], id)).join()}]`
      const first = await post(batch)
      expect(first.status).toBe(200)
      expect(JSON.parse(first.body)).toHaveLength(10)
      const refused = await post(toCallJson('test_echo'))
      expect(refused.status).toBe(429)
      // 3 - 10 = 7 in debt and one to spend, at one a second
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(7)
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(8)
      expect(refused.body).toContain('rate-limit')
      expect(
        await readGauge(server.registry, 'perihelion_rpc_rejected_total', { reason: 'rate-limit' }),
      ).toBe(1)
      // Pages and the operator's socket are not counted.
      expect((await sendHttp(server.http, { method: 'GET', path: '/health' })).status).toBe(200)
      await server.close()
    })

    test('another scheme than Bearer is ignored, and opens nothing', async () => {
      const server = await startTestServer([])
      const headers = { ...json, Authorization: `Basic ${Buffer.from('user:password').toString('base64')}` }
      const ask = async (method: string) =>
        JSON.parse((await sendHttp(server.http, { body: toCallJson(method), headers })).body)
      expect(await ask('test_echo')).toHaveProperty('result')
      expect(await ask('test_private')).toMatchObject({ error: { code: 4100 } })
      await server.close()
    })

    test('a request with a bad token is charged, so that tokens cannot be tried without end', async () => {
      const server = await startTestServer(['--json-rpc.rate-limit=1', '--json-rpc.rate-limit-burst=2'])
      const post = async (headers: Readonly<Record<string, string>>): Promise<number> =>
        (await sendHttp(server.http, { body: toCallJson('test_echo'), headers: { ...json, ...headers } }))
          .status
      const bad = { Authorization: 'Bearer a.b.c' }
      expect([await post(bad), await post(bad), await post(bad), await post({})]).toEqual([
        401, 401, 429, 429,
      ])
      await server.close()
    })

    test('clients behind a trusted proxy have their own', async () => {
      const server = await startTestServer([
        '--json-rpc.rate-limit=1',
        '--json-rpc.rate-limit-burst=1',
        '--json-rpc.trusted-proxies=127.0.0.1/32',
      ])
      const from = async (client: string): Promise<number> => {
        const headers = { ...json, 'X-Forwarded-For': client }
        return (await sendHttp(server.http, { body: toCallJson('test_echo'), headers })).status
      }
      expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([
        200, 429, 200,
      ])
      await server.close()
    })

    test('nobody behind a trusted proxy signs, whatever address it names', async () => {
      const server = await startTestServer(['--json-rpc.trusted-proxies=127.0.0.1/32'])
      for (const client of ['::1', '127.0.0.1', '127.0.0.2', '[::1]:99', '::ffff:127.0.0.2', 'localhost']) {
        const headers = { ...json, 'X-Forwarded-For': client }
        const { body } = await sendHttp(server.http, { body: toCallJson('test_sign'), headers })
        expect([client, JSON.parse(body)]).toMatchObject([client, { error: { code: 4100 } }])
      }
      await server.close()
    })
  })

  describe('timeouts', () => {
    test('a call may take longer than a connection may idle', async () => {
      const server = await startTestServer(['--json-rpc.http-idle-timeout=100ms'])
      expect(parseResult(await postJson(server.http, toCallJson('test_sleep', [600])))).toBe(600)
      await server.close()
    })

    test('a call past its time is answered, and aborted', slow, async () => {
      const server = await startTestServer(['--json-rpc.http-timeout=1s'])
      expect(JSON.parse(await postJson(server.http, toCallJson('test_sleep', [20_000])))).toMatchObject({
        error: { code: -32002, message: 'request timed out' },
      })
      expect(server.context.aborted).toBe(1)
      await server.close()
    })
  })

  describe('draining', () => {
    test('what runs is answered, what comes gets 503, and the connections close', async () => {
      const server = await startTestServer()
      const [busy, idle, silent] = [
        await RawSocket.open(server.http),
        await RawSocket.open(server.http),
        await RawSocket.open(server.http),
      ]
      await idle.send(httpPost(toCallJson('test_echo', [1]))).receive(/"result":1/)
      busy.send(httpPost(toCallJson('test_sleep', [700])))
      await eventually(() => server.context.sleeping === 1)
      const startedAt = Date.now()
      const closing = server.close()
      // On the connection that is still there, behind the call that runs.
      busy.send(httpPost(toCallJson('test_hear', ['too late'])))
      await Promise.all([busy.closed, idle.closed, silent.closed, closing])
      expect(busy.text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"result":700/)
      expect(busy.text).toMatch(/Connection: close/)
      expect(server.context.heard).toEqual([])
      // Silent and idle connections do not hold it up: far below the 5 s after which they would be cut.
      expect(Date.now() - startedAt).toBeLessThan(5000)
      await expect(RawSocket.open(server.http)).rejects.toThrow()
    })

    test('a request that had begun gets 503', slow, async () => {
      const server = await startTestServer()
      const [busy, late] = [await RawSocket.open(server.http), await RawSocket.open(server.http)]
      busy.send(httpPost(toCallJson('test_sleep', [500])))
      const request = httpPost(toCallJson('test_hear', ['too late']))
      late.send(request.slice(0, 30))
      await new Promise((resolve) => setTimeout(resolve, 100))
      const closing = server.close()
      late.send(request.slice(30))
      await late.closed
      expect(late.text).toMatch(/^HTTP\/1\.1 503 /)
      expect(late.text).toMatch(/Retry-After: 1/)
      await closing
      expect(server.context.heard).toEqual([])
    })

    test('a call that does not end is cut at the deadline', slow, async () => {
      const server = await startTestServer()
      const raw = await RawSocket.open(server.http)
      raw.send(httpPost(toCallJson('test_sleep', [25_000])))
      await eventually(() => server.context.sleeping === 1)
      await server.close()
      await raw.closed
      await eventually(() => server.context.aborted === 1)
    })
  })

  describe('slow readers over HTTP', () => {
    const rejected = (server: TestServer): Promise<number> =>
      readGauge(server.registry, 'perihelion_rpc_rejected_total', { reason: 'backlog' })

    test('together they may not hold more than the total: who waited longest is cut', slow, async () => {
      const server = await startTestServer(['--json-rpc.http-total-backlog=55MB'])
      const slow: RawSocket[] = []
      for (let index = 0; index < 8; index++) {
        const raw = await RawSocket.open(server.http)
        raw.socket.pause()
        raw.send(httpPost(toCallJson('test_fill', [10_000_000])))
        slow.push(raw)
      }
      await eventually(async () => (await rejected(server)) >= 3)
      expect(await rejected(server)).toBe(3)
      for (const raw of slow) raw.socket.resume()
      const outcomes = await Promise.all(
        slow.map((raw) =>
          raw
            .receive((text) => text.length > 10_000_000)
            .then(
              () => 'answered',
              () => 'cut',
            ),
        ),
      )
      expect(outcomes.filter((outcome) => outcome === 'cut')).toHaveLength(3)
      expect(parseResult(await postJson(server.http, toCallJson('test_echo', [1])))).toBe(1)
      for (const raw of slow) raw.close()
      await server.close()
    })

    test('so are those who do not read a page', async () => {
      const page = { status: 200, type: 'text/plain', body: 'x'.repeat(16_000_000) }
      const server = await start(['--json-rpc.http-total-backlog=40MB'], {
        reader,
        pages: { '/large': async () => page },
      })
      const slow: RawSocket[] = []
      for (let index = 0; index < 4; index++) {
        const raw = await RawSocket.open(server.http)
        raw.socket.pause()
        slow.push(raw.send('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n'))
      }
      await eventually(async () => (await rejected(server)) === 2)
      expect((await sendHttp(server.http, { method: 'GET', path: '/large' })).body).toHaveLength(16_000_000)
      for (const raw of slow) raw.close()
      await server.close()
    })

    test('who reads is not cut, however large the answers are', async () => {
      const server = await startTestServer(['--json-rpc.http-total-backlog=1MB'])
      for (let round = 0; round < 3; round++) {
        expect(parseResult(await postJson(server.http, toCallJson('test_fill', [8_000_000])))).toHaveLength(
          8_000_000,
        )
      }
      expect(await rejected(server)).toBe(0)
      await server.close()
    })
  })
})
