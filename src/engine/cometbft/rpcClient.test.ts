import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { CometError } from '../../comet/data/replyEnvelope.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { EngineRpcClient } from './rpcClient.ts'

const result = { code: 0, log: '', codespace: '', hash: 'AA'.repeat(32) }
const parsed = { ...result, hash: new Uint8Array(32).fill(0xaa) }

describe('the RPC of CometBFT', () => {
  let server: Server
  let client: EngineRpcClient
  afterEach(() => {
    client.close()
    server.close()
  })

  /** Starts an engine that gives one answer to everything. */
  const start = async (status: number, answer: unknown): Promise<void> => {
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = new EngineRpcClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }

  it('reads what is larger than the replies of nodes that are not its own may be', async () => {
    const values = 2_100_000
    await start(200, { jsonrpc: '2.0', id: 1, result: Array(values).fill(0) })
    expect(await client.blockResults(9)).toHaveLength(values)
    client.close()
    server.close()
    const tx = 'x'.repeat(33 * 1024 * 1024)
    await start(200, { jsonrpc: '2.0', id: 1, result: { height: '9', index: 2, tx } })
    expect(await client.locate(new Uint8Array(32))).toEqual({ number: 9, index: 2 })
  })

  it('says that an engine did not answer in time', async () => {
    server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = new EngineRpcClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 50)
    await expect(client.broadcast([Uint8Array.of(1)])).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  })

  it('reads the response to one transaction, which is not a list', async () => {
    await start(200, { jsonrpc: '2.0', id: 0, result })
    expect(await client.broadcast([Uint8Array.of(1)])).toEqual([parsed])
  })

  it('reads the error of one transaction as its own', async () => {
    const error = { code: -32603, message: 'Internal error', data: 'mempool is full' }
    await start(200, { jsonrpc: '2.0', id: 0, error })
    expect(await client.broadcast([Uint8Array.of(1)])).toEqual([new CometError(-32603, 'mempool is full')])
  })

  it('reads a list by its ids', async () => {
    await start(200, [
      { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
      { jsonrpc: '2.0', id: 0, result },
    ])
    expect(await client.broadcast([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)])).toEqual([
      parsed,
      new CometError(-1, 'no'),
      undefined,
    ])
  })

  it('reads a malformed reply as the error of its transaction alone', async () => {
    await start(200, [
      'no reply',
      { jsonrpc: '2.0', id: 0 },
      { jsonrpc: '2.0', id: 1, result },
      { jsonrpc: '2.0', id: 2, error: { message: 'no' } },
    ])
    expect(await client.broadcast([1, 2, 3, 4].map((byte) => Uint8Array.of(byte)))).toEqual([
      new UpstreamError('a reply has neither result nor error'),
      parsed,
      new UpstreamError('the error of a reply has no code'),
      undefined,
    ])
  })

  it.each([null, -1])('throws what the engine says of a request that it rejects, with id %s', async (id) => {
    const data = 'error reading request body: http: request body too large'
    await start(400, { jsonrpc: '2.0', id, error: { code: -32600, message: 'Invalid Request', data } })
    await expect(client.broadcast([Uint8Array.of(1), Uint8Array.of(2)])).rejects.toThrow(
      new CometError(-32600, data),
    )
  })
})
