import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import type { Service } from '../../src/service/start/startService.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService } from '../support/service.ts'
import { temporaryHome } from '../support/testServer.ts'
import { childrenOf } from './servingNode.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
const origin = 'https://app.example'

/** Sends a request as a page of the origin, over a connection of its own; returns the status. */
const post = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', origin }
    const ca = readFileSync(fileOf('first.crt'))
    const sent = request(url, { method: 'POST', ca, headers, agent: false }, (reply) => {
      reply.resume()
      reply.on('end', () => resolve(reply.statusCode))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }))
  })

/** Returns the serving processes of this process, which may have started others. */
const workers = (): readonly number[] =>
  childrenOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serving')
    } catch {
      return false // it has just ended
    }
  })

let service: Service
beforeAll(async () => {
  const tls = [`--json-rpc.tls-cert=${fileOf('first.crt')}`, `--json-rpc.tls-key=${fileOf('first.key')}`]
  service = await startTestService(temporaryHome(), { flags: [...tls, '--json-rpc.workers=1'] })
})
afterAll(() => service?.close())

test('a process that starts after a reload, or during one, has what others have', async () => {
  const { http = '' } = service.urls()
  expect(await post(http)).toBe(403)
  // Without a certificate, which is nothing that a reload may take away.
  await service.reload(loadConfig({ flags: ['--json-rpc.workers=1'] }).config)
  const [killed = 0] = workers()
  process.kill(killed, 'SIGKILL')
  await eventually(() => workers().some((pid) => pid !== killed))
  await service.reload(loadConfig({ flags: ['--json-rpc.workers=1', `--json-rpc.cors=${origin}`] }).config)
  expect(await post(http)).toBe(200)
  expect(service.urls().http).toBe(http)
})
