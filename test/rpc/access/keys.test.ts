import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hashKey } from '../../../src/rpc/access/apiKeys.ts'
import { createToken } from '../../../src/rpc/access/token.ts'
import { sendHttp } from '../../support/clients.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { readGauge } from '../../support/rpc/gauges.ts'
import { refusedUpgrade, WsClient } from '../../support/rpc/wsClient.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

const entry = (name: string, more = ''): string =>
  `[[key]]\nname = "${name}"\nsha256 = "${hashKey(`${name}-key`)}"\n${more}\n`

/** Slow to refill: what a test uses up stays used up. */
const entries = [
  entry('free'),
  entry('slow', 'rate = 1\nburst = 3'),
  entry('batch', 'rate = 1\nburst = 3'),
  entry('socket', 'rate = 1\nburst = 3'),
  entry('unknown', 'rate = 1\nburst = 3'),
  entry('narrow', 'namespaces = ["other"]'),
].join('\n')

describe('API keys', () => {
  let folder: string
  let server: TestServer
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
    writeFileSync(join(folder, 'keys.toml'), entries)
    server = await startTestServer([`--json-rpc.keys=${join(folder, 'keys.toml')}`])
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const post = (headers: Record<string, string>, body = toCallJson('test_echo', [1]), path = '/') =>
    sendHttp(server.http, { body, path, headers: { 'Content-Type': 'application/json', ...headers } })
  const batch = (count: number): string =>
    `[${Array.from({ length: count }, (_, id) => toCallJson('test_echo', [id], id)).join()}]`
  const codes = (text: string): (number | undefined)[] =>
    (JSON.parse(text) as { error?: { code: number } }[]).map(({ error }) => error?.code)

  test('a request without one, or with one that nobody has, is not executed', async () => {
    const hear = toCallJson('test_hear', ['refused'])
    expect((await post({}, hear)).status).toBe(401)
    for (const key of ['free', 'free-key ,free-key', 'x'.repeat(10_000)])
      expect((await post({ 'X-Api-Key': key }, hear)).status).toBe(401)
    expect((await post({}, hear, '/nobodys-key')).status).toBe(401)
    expect((await refusedUpgrade(server.ws, {})).status).toBe(401)
    expect(server.context.heard).toEqual([])
  })

  test('one in the header or in the path is enough, and so is a token', async () => {
    expect(parseResult((await post({ 'X-Api-Key': 'free-key' })).body)).toBe(1)
    expect(parseResult((await post({}, undefined, '/free-key')).body)).toBe(1)
    expect(parseResult((await post({}, undefined, '/free-key/v1?x=y')).body)).toBe(1)
    const token = createToken(server.secret, Date.now())
    expect(parseResult((await post({ Authorization: `Bearer ${token}` })).body)).toBe(1)
    const client = await WsClient.open(`${server.ws}/free-key`)
    expect(parseResult(await client.ask(toCallJson('test_echo', [2])))).toBe(2)
    client.socket.terminate()
  })

  test('a token that has expired stands for no key on a socket any more', async () => {
    const open = (lifetime?: number) => {
      const token = createToken(server.secret, Date.now(), lifetime)
      return WsClient.open(server.ws, { headers: { Authorization: `Bearer ${token}` } })
    }
    const [lasting, expiring] = [await open(), await open(30)]
    const ask = (client: WsClient) => client.ask(toCallJson('test_echo', [2]))
    expect([parseResult(await ask(lasting)), parseResult(await ask(expiring))]).toEqual([2, 2])
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 31_000)
    try {
      expiring.send(toCallJson('test_hear', ['expired']))
      expect(await Promise.race([expiring.closed, expiring.receive(2)])).toMatchObject({
        code: 1008,
        reason: expect.stringContaining('the token has expired'),
      })
      expect(server.context.heard).toEqual([])
      expect(parseResult(await ask(lasting))).toBe(2)
    } finally {
      clock.mockRestore()
    }
    lasting.socket.terminate()
  })

  test('the rate is that of calls: 429 for a request, -32005 for a call of a batch or on a socket', async () => {
    const slow = { 'X-Api-Key': 'slow-key' }
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) statuses.push((await post(slow)).status)
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200])
    expect(statuses).toContain(429)
    const inBatch = codes((await post({ 'X-Api-Key': 'batch-key' }, batch(10))).body)
    expect(inBatch.slice(0, 3)).toEqual([undefined, undefined, undefined])
    expect(inBatch.at(-1)).toBe(-32005)
    const client = await WsClient.open(server.ws, { headers: { 'X-Api-Key': 'socket-key' } })
    expect(codes(await client.ask(batch(10))).at(-1)).toBe(-32005)
    client.socket.terminate()
  })

  test('calls of methods that do not exist are charged too', async () => {
    const body = batch(10).replaceAll('test_echo', 'test_none')
    const answered = codes((await post({ 'X-Api-Key': 'unknown-key' }, body)).body)
    expect(answered.slice(0, 3)).toEqual([-32601, -32601, -32601])
    expect(answered.at(-1)).toBe(-32005)
  })

  test('a key is for its namespaces, and its use is counted by its name', async () => {
    const { body } = await post({ 'X-Api-Key': 'narrow-key' })
    expect(JSON.parse(body)).toMatchObject({
      error: { code: 4100, message: expect.stringContaining('"narrow"') },
    })
    expect(await readGauge(server.registry, 'perihelion_key_refused_total', { key: 'narrow' })).toBe(1)
    expect(
      await readGauge(server.registry, 'perihelion_key_calls_total', { key: 'free', class: 'cheap' }),
    ).toBe(4)
  })

  test('a page may send one where pages may call', async () => {
    const { headers } = await sendHttp(server.http, {
      method: 'OPTIONS',
      headers: { Origin: server.http, 'Access-Control-Request-Method': 'POST' },
    })
    expect(headers['access-control-allow-headers']).toBe('Content-Type, Authorization, X-Api-Key')
  })

  test('a page that asks may send the height that it has seen', async () => {
    const asked = 'content-type,x-perihelion-min-height'
    const { headers } = await sendHttp(server.http, {
      method: 'OPTIONS',
      headers: { Origin: server.http, 'Access-Control-Request-Headers': asked },
    })
    expect(headers['access-control-allow-headers']).toContain('x-perihelion-min-height')
  })

  test('no key is in the log', () => {
    expect(server.logLines.filter((line) => line.includes('-key'))).toEqual([])
  })
})
