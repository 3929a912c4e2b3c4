import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('runs no more at a time than there are slots, in order, also if some fail', async () => {
  const slots = new Slots(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const all = [0, 1, 2, 3, 4].map((index) =>
    slots.run(async () => {
      begun.push(index)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (index === 1) throw new Error('failed')
      return index
    }),
  )
  const settled = Promise.allSettled(all)
  expect(begun).toEqual([0, 1])
  for (const count of [3, 4, 5]) {
    ends[count - 3]?.()
    await new Promise(setImmediate)
    expect(begun).toHaveLength(count)
  }
  for (const end of ends) end()
  expect((await settled).map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true])
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect(await slots.run(async () => 'free')).toBe('free')
})
