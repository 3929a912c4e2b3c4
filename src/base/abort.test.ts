import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { heldBy } from '../../test/support/heldBySignal.ts'
import { withAnySignal } from './abort.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Resolves with the reason when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason))
  })

test('the work is aborted with the first of the signals, and with its reason', async () => {
  const [closing, caller] = [new AbortController(), new AbortController()]
  const work = withAnySignal([caller.signal, closing.signal], aborted)
  closing.abort('closing')
  caller.abort('left')
  expect(await work).toBe('closing')
  expect(await withAnySignal([new AbortController().signal, closing.signal], aborted)).toBe('closing')
})

test('the work is aborted after its time', async () => {
  const { signal } = new AbortController()
  const reason = await withAnySignal(
    [signal],
    (combined) => Promise.race([aborted(combined), delay(60_000)]),
    {
      timeoutMs: 1,
    },
  )
  expect(reason).toMatchObject({ name: 'TimeoutError' })
})

test('a signal that lives on keeps nothing of work that has ended', async () => {
  const closing = new AbortController().signal
  const seen: WeakRef<AbortSignal>[] = []
  for (let i = 0; i < 1_000; i++) {
    const work = withAnySignal(
      [closing],
      (signal) => {
        seen.push(new WeakRef(signal))
        expect(heldBy(closing)).toBe(1)
        if (i % 2 === 1) throw new Error('failed')
      },
      { timeoutMs: 3_600_000 },
    )
    await (i % 2 === 1 ? expect(work).rejects.toThrow('failed') : work)
  }
  await delay(0)
  collectGarbage()
  expect(heldBy(closing)).toBe(0)
  expect(seen.filter((signal) => signal.deref() !== undefined).length).toBeLessThan(10)
})
