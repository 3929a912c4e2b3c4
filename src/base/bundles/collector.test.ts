import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import { collectWithoutHelpers } from './collector.ts'

afterEach(() => {
  setFlagsFromString('--parallel-scavenge')
  setFlagsFromString('--flush-bytecode')
})

let made = 0

/** Each text is another one, which V8 has not compiled yet, of the same length, which is all that it compares. */
const newText = (): string => `function answer() { return ${1000 + made++} }; answer()`

const code = new Script(newText()).createCachedData()

/** Whether V8 rejects the code that was kept, as it does under other flags. */
const isRejected = (): boolean | undefined => new Script(newText(), { cachedData: code }).cachedDataRejected

test('threads that start later can use the code that the build keeps', () => {
  collectWithoutHelpers()
  expect(isRejected()).toBe(false)
  // Most flags make V8 reject it.
  setFlagsFromString('--no-flush-bytecode')
  expect(isRejected()).toBe(true)
})
