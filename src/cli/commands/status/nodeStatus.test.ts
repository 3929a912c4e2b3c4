import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { askNode } from './nodeStatus.ts'

let server: Server
afterEach(() => server.close())

/** A node that answers two of the questions. */
const serve = async (syncing: unknown, lag: unknown): Promise<string> => {
  const results: Readonly<Record<string, unknown>> = {
    eth_syncing: syncing,
    perihelion_status: lag === undefined ? undefined : { mode: 'gateway', forks: [], lag, versions: {} },
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
