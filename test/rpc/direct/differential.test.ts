import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { createRandom } from '../../support/random.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { openConnections, readGauge } from '../../support/rpc/gauges.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'
import { compare, type Servers } from './compare.ts'
import { createStream, cut, lastRequest } from './requests.ts'

/**
 * What is read directly from a socket is answered byte for byte as node:http answers it. `npm run long -- directHttp` sends
 * a hundred thousand streams.
 */

const count = Number(process.env.STREAMS ?? 150)
const seed = Number(process.env.SEED ?? 1)

/** The number of streams that are sent at a time. */
const parallel = 16

const flags = ['--json-rpc.max-body-size=100KB', '--json-rpc.compression=always']

let servers: Servers
beforeAll(async () => {
  servers = {
    direct: await startTestServer(flags),
    node: await startTestServer(flags, { reader: 'node:http' }),
  }
})
afterAll(() => Promise.all([servers.direct.close(), servers.node.close()]))

const forEach = async (total: number, run: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    while (next < total) await run(next++)
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

describe('requests that are read directly', () => {
  test(`${count} streams of seed ${seed} get the same bytes`, { timeout: 24 * 3_600_000 }, async () => {
    await forEach(count, async (index) => {
      const name = `${seed}:${index}`
      const pieces = createStream(createRandom(seed * 1_000_003 + index), name)
      const difference = await compare(servers, pieces, name)
      expect(
        difference,
        `stream ${index}: ${JSON.stringify(pieces.map(String)).slice(0, 4000)}`,
      ).toBeUndefined()
    })
  })

  test('requests that are cut anywhere get the same bytes', async () => {
    const requests = [
      httpPost(toCallJson('test_echo', ['\u00e9']), ['User-Agent: a client']),
      httpPost(toCallJson('test_sleep', [1])),
      lastRequest,
    ]
    const bytes = Buffer.from(requests.join(''))
    await forEach(bytes.length, async (at) => {
      expect(await compare(servers, cut(bytes, [at]), String(at)), `cut at ${at}`).toBeUndefined()
    })
  })

  test('requests that are refused are refused alike, and counted alike', async () => {
    const post = (header: string): string =>
      httpPost(toCallJson('test_echo', [1]), header === '' ? [] : [header])
    const requests = [
      post('Origin: http://evil.example'),
      post('Authorization: Bearer a.b.c'),
      post('').replace('application/json', 'text/plain'),
      post('').replace('Host: localhost', 'Host: evil.example'),
      httpPost(`"${'x'.repeat(60_000)}"`).replace('localhost', 'evil.example'),
    ]
    const before = await Promise.all([readCounts(servers.direct), readCounts(servers.node)])
    for (const [index, request] of requests.entries()) {
      const pieces = [Buffer.from(request + post(''))]
      expect(await compare(servers, pieces, `refused ${index}`), request.slice(0, 300)).toBeUndefined()
    }
    const after = await Promise.all([readCounts(servers.direct), readCounts(servers.node)])
    const counted = after.map((counts, side) => counts.map((count, at) => count - (before[side]?.[at] ?? 0)))
    expect(counted[0]).toEqual(counted[1])
    expect(counted[0]?.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(requests.length)
  })

  test('long answers to many requests at once are all there, in order, also for who reads late', async () => {
    const connection = await RawSocket.open(servers.direct.http)
    connection.socket.pause()
    const ids = Array.from({ length: 200 }, (_, index) => index + 1)
    const call = (id: number): string =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'test_fill', params: [30_000] })
    connection.send(ids.map((id) => httpPost(call(id))).join(''))
    await new Promise((resolve) => setTimeout(resolve, 500))
    connection.socket.resume()
    const found = (text: string): number[] =>
      [...text.matchAll(/"id":(\d+),"result"/g)].map(([, id]) => Number(id))
    await connection.receive((text) => found(text).length === ids.length)
    expect(found(connection.text)).toEqual(ids)
    connection.socket.destroy()
    await connection.closed
  })

  test('nothing is left of what was under way', async () => {
    for (const { registry } of [servers.direct, servers.node]) {
      await eventually(
        async () => (await readGauge(registry, 'perihelion_rpc_memory_bytes', { what: 'used' })) === 0,
      )
      await eventually(async () => (await openConnections(registry)) === 0)
    }
  })
})

const readCounts = async ({ registry }: TestServer): Promise<number[]> =>
  (await registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('perihelion_rpc_rejected_total'))
    .map((line) => Number(line.split(' ').at(-1)))
