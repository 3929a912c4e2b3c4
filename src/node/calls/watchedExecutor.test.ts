import { expect, test } from 'vitest'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallOutcome, EstimateOutcome, Executor } from '../../chain/port/executor.ts'
import { watchCalls } from './watchedExecutor.ts'

const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const { signal } = new AbortController()
const succeeded = { isSuccess: true } as CallOutcome

/** An executor whose calls use the console or not, here or on another thread. */
const createWatched = (usesConsole: boolean, isElsewhere: boolean): (() => unknown[]) => {
  let isUsed = true // by what ran before
  const told: unknown[] = []
  const call = () => {
    if (isElsewhere) return Promise.resolve(succeeded)
    if (usesConsole) isUsed = true
    return succeeded
  }
  const watch = {
    takeIsUsed: () => {
      const was = isUsed
      isUsed = false
      return was
    },
  }
  const executor = watchCalls({ call } as unknown as Executor, watch, {
    onConsoleCall: ({ isCertain }) => told.push(isCertain),
    onFailedCall: () => told.push('failed'),
  })
  return () => {
    void executor.call({ request: {} }, latest, signal)
    return told
  }
}

test.each([
  ['one that uses the console', true, false, [true]],
  ['one that does not', false, false, []],
  ['one on another thread, which may', true, true, [false]],
])('is notified of %s', (_, usesConsole, isElsewhere, told) => {
  expect(createWatched(usesConsole, isElsewhere)()).toEqual(told)
})

const failed: EstimateOutcome = { gas: undefined, failure: { isSuccess: false } as CallOutcome }
const estimated: EstimateOutcome = { gas: 21_000n, failure: undefined }

test.each([
  ['reverts after it used the console', failed, true, false, [true]],
  ['reverts without it', failed, false, false, []],
  // It is sent next, most often, and told of then.
  ['succeeds', estimated, true, false, []],
  ['reverts on another thread', failed, true, true, [false]],
  ['succeeds on another thread', estimated, true, true, []],
])('of an estimate that %s', async (_, outcome, usesConsole, isElsewhere, told) => {
  let isUsed = true
  const seen: boolean[] = []
  const failures: string[] = []
  const estimateGas = () => {
    if (usesConsole && !isElsewhere) isUsed = true
    return isElsewhere ? Promise.resolve(outcome) : outcome
  }
  const takeIsUsed = () => {
    const was = isUsed
    isUsed = false
    return was
  }
  const executor = watchCalls(
    { estimateGas } as unknown as Executor,
    { takeIsUsed },
    {
      onConsoleCall: ({ isCertain }) => seen.push(isCertain),
      onFailedCall: ({ method }) => failures.push(method),
    },
  )
  expect(await executor.estimateGas({ request: {} }, latest, signal)).toBe(outcome)
  expect(seen).toEqual(told)
  expect(failures).toEqual(outcome === failed ? ['eth_estimateGas'] : [])
})

test.each([true, false])('of a call that fails, also on another thread: %s', async (isElsewhere) => {
  const outcome = { isSuccess: false } as CallOutcome
  const told: unknown[] = []
  const executor = watchCalls(
    { call: () => (isElsewhere ? Promise.resolve(outcome) : outcome) } as unknown as Executor,
    { takeIsUsed: () => false },
    { onConsoleCall: () => {}, onFailedCall: (failure) => told.push(failure) },
  )
  const call = { request: {} }
  expect(await executor.call(call, latest, signal)).toBe(outcome)
  expect(told).toEqual([{ method: 'eth_call', call, at: latest, outcome }])
})

test('of a call that rejects on another thread, whose listener throws: the caller gets the error', async () => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listen)
  try {
    const executor = watchCalls(
      { call: () => Promise.reject(new Error('the job failed')) } as unknown as Executor,
      { takeIsUsed: () => true },
      {
        onConsoleCall: () => {
          throw new Error('elsewhere')
        },
        onFailedCall: () => {},
      },
    )
    await expect((async () => executor.call({ request: {} }, latest, signal))()).rejects.toThrow('elsewhere')
    // Rejections without a handler are reported after the microtasks.
    await new Promise(setImmediate)
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', listen)
  }
})
