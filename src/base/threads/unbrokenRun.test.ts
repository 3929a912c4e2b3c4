import { expect, test } from 'vitest'
import { UnbrokenRun } from './unbrokenRun.ts'

test('a run goes on until something else may have run', async () => {
  const run = new UnbrokenRun()
  expect([run.goesOn(), run.goesOn()]).toEqual([true, true])
  await undefined
  expect([run.goesOn(), run.goesOn()]).toEqual([false, true])
  await new Promise((resolve) => setImmediate(resolve))
  expect([run.goesOn(), run.goesOn()]).toEqual([false, true])
})
