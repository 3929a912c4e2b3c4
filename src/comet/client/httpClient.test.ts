import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { CometHttpClient, type ReplyConsumer } from './httpClient.ts'

const dripMs = 20

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a node that sends a byte now and then', () => {
  let server: Server
  let client: CometHttpClient
  let hasLeft: Promise<unknown>
  /** After how many bytes the reply ends. */
  let bytes: number
  let stallsAfter: number

  beforeEach(async () => {
    stallsAfter = Number.POSITIVE_INFINITY
    server = createServer((request, reply) => {
      hasLeft = once(reply, 'close')
      request.resume()
      let sent = 0
      reply.write('{"jsonrpc":"2.0","id":1,"result":"')
      const drip = setInterval(() => {
        if (sent >= stallsAfter) return
        if (++sent < bytes) {
          reply.write('x')
          return
        }
        clearInterval(drip)
        reply.end('"}')
      }, dripMs)
      reply.on('close', () => clearInterval(drip))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    client = new CometHttpClient(`http://127.0.0.1:${port}`, { maxReplyBytes: 10 ** 6, maxSockets: 2 })
  })
  afterEach(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })

  const collect = (): ReplyConsumer => {
    const pieces: Buffer[] = []
    return { push: (piece) => void pieces.push(piece), end: () => Buffer.concat(pieces) }
  }

  test('does not hold a call beyond its deadline', async () => {
    bytes = Number.POSITIVE_INFINITY
    await expect(client.call('status', {}, { timeoutMs: 10 * dripMs })).rejects.toThrow(
      `no response within ${10 * dripMs} ms`,
    )
    await hasLeft
  })

  test('may take longer for a stream, which has a bound too', async () => {
    bytes = Number.POSITIVE_INFINITY
    const options = { timeoutMs: 20 * dripMs, idleMs: 60_000 }
    await expect(client.stream('block_results', {}, options, collect())).rejects.toThrow(
      `no response within ${20 * dripMs} ms`,
    )
    await hasLeft
  })

  test('does not hold a stream by silence', async () => {
    bytes = 1
    stallsAfter = 0
    const options = { timeoutMs: 600_000, idleMs: 5 * dripMs }
    await expect(client.stream('block_results', {}, options, collect())).rejects.toThrow(
      `no response within ${5 * dripMs} ms`,
    )
  })

  test('is heard to the end of a stream within it', slow, async () => {
    bytes = 100
    const options = { timeoutMs: 600_000, idleMs: 50 * dripMs }
    expect(await client.stream('block_results', {}, options, collect())).toHaveLength(99)
  })
})

test('a reply is not read further than its method is good for', async () => {
  const server = createServer((request, reply) => {
    request.resume()
    reply.end(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(300_000)}"}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new CometHttpClient(`http://127.0.0.1:${port}`, { maxReplyBytes: 10 ** 6, maxSockets: 2 })
  try {
    await expect(client.call('status', {}, { timeoutMs: 20_000 })).rejects.toThrow('larger than 262144 bytes')
  } finally {
    client.close()
    server.closeAllConnections()
    server.close()
  }
})

test('a call is idle only when it has its socket, and waits for one no longer than it may take', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  /** Answers the call that the node has. */
  let answer = (): void => undefined
  let onCall = (): void => undefined
  const nextCall = (): Promise<void> => new Promise((resolve) => (onCall = resolve))
  const server = createServer((request, reply) => {
    request.on('data', (body: Buffer) => {
      const { id, method } = JSON.parse(body.toString()) as { id: number; method: string }
      answer = () => void reply.end(JSON.stringify({ jsonrpc: '2.0', id, result: method }))
      onCall()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new CometHttpClient(`http://127.0.0.1:${port}`, { maxReplyBytes: 10 ** 6, maxSockets: 1 })
  try {
    let called = nextCall()
    const first = client.call('block', {}, { timeoutMs: 60_000 })
    const second = client.call('status', {}, { timeoutMs: 60_000, idleMs: 10_000 })
    const third = failure(client.call('tx', {}, { timeoutMs: 30_000, idleMs: 10_000 }))
    await called
    vi.advanceTimersByTime(30_000)
    expect(await third).toMatchObject({ message: 'no response within 30000 ms' })
    called = nextCall()
    answer()
    expect(await first).toBe('block')
    await called
    vi.advanceTimersByTime(9_999)
    answer()
    expect(await second).toBe('status')
    called = nextCall()
    const silent = failure(client.call('status', {}, { timeoutMs: 60_000, idleMs: 10_000 }))
    await called
    vi.advanceTimersByTime(10_000)
    expect(await silent).toMatchObject({ code: 'ETIMEDOUT', message: 'no response within 10000 ms' })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
    client.close()
    server.closeAllConnections()
    server.close()
  }
})
