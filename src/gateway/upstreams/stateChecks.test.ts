import { expect, test } from 'vitest'
import { StateChecks } from './stateChecks.ts'
import type { Upstream } from './upstream.ts'

const hour = 3_600_000

test('a caller waits for a check no longer than its call has time left, and others go on waiting', async () => {
  let answer: (response: Uint8Array) => void = () => {}
  const upstream = {
    name: 'node',
    query: () =>
      new Promise<Uint8Array>((resolve) => {
        answer = resolve
      }),
  } as unknown as Upstream
  const checks = new StateChecks({ path: '/Params', isKept: ({ length }) => length > 0 })
  const options = { timeoutMs: hour }
  const hasted = checks.check(upstream, 5, options, 10)
  await expect(hasted).rejects.toThrow('no response within 10 ms')
  const patient = checks.check(upstream, 5, options, hour)
  answer(Uint8Array.of(1))
  await new Promise((resolve) => setImmediate(resolve))
  answer(new Uint8Array(0))
  await expect(patient).rejects.toThrow('the state of height 5 is pruned')
})
