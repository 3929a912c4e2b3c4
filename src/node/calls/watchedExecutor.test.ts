import { expect, test } from 'vitest'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallOutcome, EstimateOutcome, Executor } from '../../chain/port/executor.ts'
import { watchCalls } from './watchedExecutor.ts'

const latest: BlockRef = { kind: 'tag', tag: 'latest' }
const { signal } = new AbortController()

/** An executor whose calls use the console or not, here or on another thread. */
const createWatched = (usesConsole: boolean, isElsewhere: boolean): (() => unknown[]) => {
  let isUsed = true // by what ran before
  const told: unknown[] = []
  const call = () => {
    if (isElsewhere) return Promise.resolve({} as CallOutcome)
    if (usesConsole) isUsed = true
    return {} as CallOutcome
  }
  const watch = {
    takeIsUsed: () => {
      const was = isUsed
      isUsed = false
      return was
    },
  }
  const executor = watchCalls({ call } as unknown as Executor, watch, (_call, _at, isCertain) =>
    told.push(isCertain),
  )
  return () => {
    void executor.call({ request: {} }, latest, signal)
    return told
  }
}

test.each([
  ['one that uses the console', true, false, [true]],
  ['one that does not', false, false, []],
  ['one on another thread, which may', true, true, [false]],
])('is told of %s', (_, usesConsole, isElsewhere, told) => {
  expect(createWatched(usesConsole, isElsewhere)()).toEqual(told)
})

const failed: EstimateOutcome = { gas: undefined, failure: {} as CallOutcome }
const estimated: EstimateOutcome = { gas: 21_000n, failure: undefined }

test.each([
  ['reverts after it used the console', failed, true, false, [true]],
  ['reverts without it', failed, false, false, []],
  // It is sent next, most often, and told of then.
  ['succeeds', estimated, true, false, []],
  ['reverts on another thread', failed, true, true, [false]],
  ['succeeds on another thread', estimated, true, true, []],
])('of an estimate: one that %s', async (_, outcome, usesConsole, isElsewhere, told) => {
  let isUsed = true
  const seen: boolean[] = []
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
    (_call, _at, isCertain) => seen.push(isCertain),
  )
  expect(await executor.estimateGas({ request: {} }, latest, signal)).toBe(outcome)
  expect(seen).toEqual(told)
})
