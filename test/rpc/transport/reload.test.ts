import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { loadConfig } from '../../../src/config/load.ts'
import { hashKey } from '../../../src/rpc/access/apiKeys.ts'
import { readKeyFile } from '../../../src/rpc/access/keyFile.ts'
import { readTlsFiles } from '../../../src/rpc/transport/tls.ts'
import type { Service } from '../../../src/service/start/startService.ts'
import { startTestService } from '../../support/service.ts'
import { startTestServer, type TestServer, temporaryHome } from '../../support/testServer.ts'

const folder = fileURLToPath(new URL('../../fixtures/tls', import.meta.url))
const filesOf = (name: string) => [join(folder, `${name}.crt`), join(folder, `${name}.key`)] as const
const certificateOf = (name: string): string => readFileSync(filesOf(name)[0], 'utf8')

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] })

/** Begins a handshake and says no more: the header of a record, without what it announces. */
const startHandshake = (port: number): Socket => {
  const socket = connect(port, '127.0.0.1')
  socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1]))
  return socket
}

/** Sends a request to a server that has to prove itself by a certificate. */
const post = (url: string, ca: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', ca, headers, agent: false }, (reply) => {
      let text = ''
      reply.on('data', (piece: Buffer) => (text += piece))
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })

test.each([
  ['before its handshake', (port: number) => connect(port, '127.0.0.1'), 'connect'],
  ['in its handshake', startHandshake, 'connect'],
  [
    'after its handshake',
    (port: number) => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }),
    'secureConnect',
  ],
] as const)(
  'a client that is silent %s does not hold up the end',
  async (_, open, event) => {
    const [cert, key] = filesOf('first')
    // Nothing but the end itself closes the connection in time.
    const flags = [
      `--json-rpc.tls-cert=${cert}`,
      `--json-rpc.tls-key=${key}`,
      '--json-rpc.http-header-timeout=1h',
    ]
    const service = await startTestService(temporaryHome(), { flags })
    const client = open(Number(new URL(service.urls().http ?? '').port))
    client.on('error', () => {})
    await once(client, event)
    // It is accepted before a later one is answered.
    await post(service.urls().http ?? '', certificateOf('first'))
    const closed = once(client, 'close')
    await service.close()
    await closed
  },
  30_000,
)

describe('JSON-RPC with a certificate', () => {
  let service: Service
  const [cert, key] = filesOf('first')
  beforeAll(async () => {
    const flags = [`--json-rpc.tls-cert=${cert}`, `--json-rpc.tls-key=${key}`]
    service = await startTestService(temporaryHome(), { flags })
  })
  afterAll(() => service?.close())
  const http = (): string => service.urls().http ?? ''

  test('is served over HTTPS and wss', async () => {
    expect(http()).toMatch(/^https:/)
    const { status, text } = await post(http(), certificateOf('first'))
    expect([status, text]).toEqual([200, expect.stringContaining('perihelion')])
    const socket = new WebSocket(http().replace('https', 'wss'), { ca: certificateOf('first') })
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    const answer = new Promise((resolve) => socket.on('message', (data) => resolve(String(data))))
    socket.send(body)
    expect(await answer).toContain('perihelion')
    socket.close()
    await expect(fetch(http().replace('https', 'http'))).rejects.toThrow()
  })

  test('takes another certificate while it runs', async () => {
    await expect(post(http(), certificateOf('second'))).rejects.toThrow(/certificate/)
    const [cert, key] = filesOf('second')
    const { config } = loadConfig({ flags: [`--json-rpc.tls-cert=${cert}`, `--json-rpc.tls-key=${key}`] })
    await service.reload(config)
    expect((await post(http(), certificateOf('second'))).status).toBe(200)
    await expect(post(http(), certificateOf('first'))).rejects.toThrow(/certificate/)
  })

  test('files that do not belong together are told in a line', async () => {
    const { config } = loadConfig({
      flags: [`--json-rpc.tls-cert=${filesOf('first')[0]}`, `--json-rpc.tls-key=${filesOf('second')[1]}`],
    })
    await expect(service.reload(config)).rejects.toThrow(/^json-rpc.tls-cert, json-rpc.tls-key: .* are no/)
    expect(() => readTlsFiles('/none', '/none')).toThrow('/none cannot be read')
    expect((await post(http(), certificateOf('second'))).status).toBe(200)
  })
})

describe('settings that are read again', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())

  const call = async (headers: Readonly<Record<string, string>> = {}) => {
    const reply = await fetch(server.http, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_echo', params: [1] }),
    })
    await reply.text()
    return { status: reply.status, cors: reply.headers.get('access-control-allow-origin') }
  }
  const reload = (...flags: readonly string[]): void => {
    const settings = loadConfig({ flags }).config.jsonRpc
    const keys = settings.keys === undefined ? undefined : readKeyFile(settings.keys)
    server.server.reload({ settings, keys, tls: undefined })
  }
  const origin = 'https://app.example'

  test('origins, rates and keys hold for the next request', async () => {
    expect(await call({ origin })).toEqual({ status: 403, cors: null })
    reload(`--json-rpc.cors=${origin}`)
    expect(await call({ origin })).toEqual({ status: 200, cors: origin })
    reload('--json-rpc.rate-limit=1', '--json-rpc.rate-limit-burst=1')
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => call()))).map(({ status }) => status)
    expect(statuses).toContain(429)
    const file = join(temporaryHome(), 'keys.toml')
    writeFileSync(file, `[[key]]\nname = "k"\nsha256 = "${hashKey('secret')}"\n`)
    reload(`--json-rpc.keys=${file}`)
    rmSync(dirname(file), { recursive: true })
    expect((await call()).status).toBe(401)
    expect((await call({ 'x-api-key': 'secret' })).status).toBe(200)
    reload()
    expect((await call()).status).toBe(200)
    expect((await call({ origin })).status).toBe(403)
  })

  test('a key that is gone or changed ends its WebSockets, and no others', async () => {
    const home = temporaryHome()
    const file = join(home, 'keys.toml')
    const keys = (...entries: readonly string[]): void => {
      writeFileSync(file, entries.map((entry) => `[[key]]\n${entry}\n`).join(''))
      reload(`--json-rpc.keys=${file}`)
    }
    const entryOf = (name: string, more = ''): string =>
      `name = "${name}"\nsha256 = "${hashKey(name)}"\n${more}`
    const connect = async (headers: Readonly<Record<string, string>>) => {
      const socket = new WebSocket(server.ws, { headers })
      const closed = new Promise<number>((resolve) => socket.on('close', resolve))
      await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
      return { socket, closed }
    }
    const keyless = await connect({})
    keys(entryOf('kept'), entryOf('changed'), entryOf('gone'))
    expect(await keyless.closed).toBe(1008)
    const [kept, changed, gone] = await Promise.all(
      ['kept', 'changed', 'gone'].map((name) => connect({ 'x-api-key': name })),
    )
    keys(entryOf('kept'), entryOf('changed', 'namespaces = ["eth"]'))
    expect(await Promise.all([changed?.closed, gone?.closed])).toEqual([1008, 1008])
    const answer = new Promise((resolve) => kept?.socket.on('message', (data) => resolve(String(data))))
    kept?.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_echo', params: [1] }))
    expect(await answer).toContain('"result"')
    kept?.socket.close()
    rmSync(home, { recursive: true })
    reload()
  })
})
