import { expect, test } from 'vitest'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { CallOutcome, Executor } from '../chain/port/executor.ts'
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
