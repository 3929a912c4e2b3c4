import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { GrpcError, RateLimitError, TransportError } from '../../comet/data/transportErrors.ts'
import type { GrpcClient } from './grpcClient.ts'
import { GrpcWay } from './grpcWay.ts'

const timeoutMs = 4_000
const answer = Uint8Array.of(7)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A node whose gRPC answers nobody, until a call is answered by hand. */
const setUp = () => {
  const told: (string | undefined)[] = []
  const calls: { resolve: (value: Uint8Array) => void; reject: (error: Error) => void }[] = []
  let closed = 0
  const client = { isSilentSince: () => true, close: () => closed++ } as unknown as GrpcClient // what is used
  const way = new GrpcWay(client, (reason) => told.push(reason))
  const byGrpc = (_: GrpcClient, { signal }: { readonly signal?: AbortSignal | undefined }) =>
    new Promise<Uint8Array>((resolve, reject) => {
      calls.push({ resolve, reject })
      signal?.addEventListener('abort', () =>
        reject(signal.reason instanceof TransportError ? signal.reason : new TransportError('left')),
      )
    })
  return { way, byGrpc, told, calls, closed: () => closed }
}

test.each([
  ['a limit of rates', new RateLimitError(1_000)],
  ['another error', new Error('method not found')],
  ['a broken connection', new TransportError('closed')],
])('%s of CometBFT does not end a call that gRPC is slow at', async (_, error) => {
  const { way, byGrpc, told, calls } = setUp()
  const byComet = vi.fn(() => Promise.reject(error))
  const asked = way.ask(byGrpc, byComet, { timeoutMs })
  await vi.advanceTimersByTimeAsync(timeoutMs / 2)
  expect(byComet).toHaveBeenCalledTimes(1)
  calls[0]?.resolve(answer)
  expect(await asked).toBe(answer)
  expect(told).toEqual([])
})

test('what the application says through CometBFT is a response', async () => {
  const { way, byGrpc } = setUp()
  const asked = way.ask(byGrpc, () => Promise.reject(new NativeQueryError('refused', 'reverted')), {
    timeoutMs,
  })
  const outcome = expect(asked).rejects.toThrow('reverted')
  await vi.advanceTimersByTimeAsync(timeoutMs / 2)
  await outcome
})

test('gRPC before which CometBFT answers again and again is left, with its connection', async () => {
  const { way, byGrpc, told, closed } = setUp()
  for (let round = 0; round < 5; round++) {
    const asked = way.ask(byGrpc, () => Promise.resolve(answer), { timeoutMs })
    await vi.advanceTimersByTimeAsync(timeoutMs / 2)
    expect(await asked).toBe(answer)
  }
  expect([told, closed(), way.isReady]).toEqual([['CometBFT answered before it'], 1, false])
})

test('calls that neither way answers in the time of their callers are slow themselves', async () => {
  const { way, byGrpc, told } = setUp()
  for (let round = 0; round < 8; round++) {
    const ended = new AbortController()
    const byComet = () => new Promise<Uint8Array>(() => {})
    const asked = way.ask(byGrpc, byComet, { signal: ended.signal, timeoutMs, waitsMs: 100 })
    const outcome = expect(asked).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(1_000)
    ended.abort(new DOMException('time is up', 'TimeoutError'))
    await outcome
  }
  expect([told, way.isReady]).toEqual([[], true])
})

test('what is too large for gRPC is asked of CometBFT, and gRPC for the next', async () => {
  const { way, told, byGrpc, calls } = setUp()
  for (let round = 0; round < 6; round++) {
    const asked = way.ask(byGrpc, () => Promise.resolve(answer), { timeoutMs })
    calls[round]?.reject(new GrpcError(8, 'grpc: trying to send message larger than max (9 vs. 4)'))
    expect(await asked).toBe(answer)
  }
  expect([told, way.isReady]).toEqual([[], true])
})
