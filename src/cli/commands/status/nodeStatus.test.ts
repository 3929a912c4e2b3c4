import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { paintIf } from '../../output/paint.ts'
import { askNode } from './nodeStatus.ts'
import { renderStatus } from './render.ts'

let server: Server
afterEach(() => server.close())

/** A node that answers two of the requests. */
const serve = async (syncing: unknown, lag: unknown, forks: readonly object[] = []): Promise<string> => {
  const results: Readonly<Record<string, unknown>> = {
    eth_syncing: syncing,
    perihelion_status: lag === undefined ? undefined : { mode: 'gateway', forks, lag, versions: {} },
  }
  server = createServer(async (request, response) => {
    const calls = JSON.parse(await text(request)) as { id: number; method: string }[]
    const answers = calls.map(({ id, method }) =>
      results[method] === undefined
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'not here' } }
        : { jsonrpc: '2.0', id, result: results[method] },
    )
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const away = { startingBlock: '0x8', currentBlock: '0x8', highestBlock: '0x8' }

test.each([
  ['in step', false, { blocks: '0x0' }, 0],
  ['in step, as another client says', false, undefined, 0],
  ['behind', { ...away, highestBlock: '0xa' }, undefined, 2],
  ['not known where the chain is away', away, { blocks: null }, undefined],
  ['not known where another client knows of no higher block', away, undefined, undefined],
])('a node is %s', async (_, syncing, lag, expected) => {
  expect((await askNode(await serve(syncing, lag))).lag).toBe(expected)
})

test('a fork ahead that its version does not know, or that has no effect, is a problem', async () => {
  const fork = { at: '0x6ab13b80', known: true, version: null, problem: null }
  const target = await serve(false, { blocks: '0x0' }, [
    { ...fork, name: 'osaka' },
    { ...fork, name: 'bpo1', problem: 'it has no figures' },
    { ...fork, name: 'amsterdam', known: false, version: '9.8.7' },
    { ...fork, name: 'amsterdm', known: false, at: `0x${'f'.repeat(16)}` },
  ])
  const here = { target, home: undefined, pid: undefined, dataSize: undefined }
  const text = renderStatus({ ...(await askNode(target)), ...here }, 0, paintIf(false))
  expect(text).toMatch(/^chain .*ahead: osaka, bpo1, amsterdam, amsterdm$/m)
  expect(text.match(/^problem .*$/gm)?.map((line) => line.replace(/^problem +/, ''))).toEqual([
    'bpo1 (has no effect: it has no figures)',
    'amsterdam (not known to this version: this node stops at 2026-09-21T14:13:20.000Z): install version 9.8.7 or later, or cancel the fork before',
    'amsterdm (not known to this version: this node stops at time 18446744073709551615): install one that knows it, or cancel the fork before',
  ])
})
