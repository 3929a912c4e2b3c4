import { expect, test } from 'vitest'
import { TransactionRing } from './transactionRing.ts'

const text = (length: number): Uint8Array => new Uint8Array(length)
const lengths = (texts: readonly Uint8Array[]): number[] => texts.map(({ length }) => length)

test('readers read in order, as much as fits', () => {
  const ring = new TransactionRing(1_000)
  for (const length of [10, 20, 30]) ring.push(text(length))
  const first = ring.read(0, 2, 1_000)
  expect([lengths(first.texts), first.next, first.missed]).toEqual([[10, 20], 2, 0])
  expect(lengths(ring.read(first.next, 2, 1_000).texts)).toEqual([30])
  expect(lengths(ring.read(0, 10, 31).texts)).toEqual([10, 20])
  // An entry that is too long for a response comes alone.
  expect(lengths(ring.read(1, 10, 5).texts)).toEqual([20])
  expect(ring.read(3, 10, 1_000)).toEqual({ texts: [], next: 3, missed: 0 })
})

test('the oldest go when there is no room, and readers are told how many', () => {
  const ring = new TransactionRing(50)
  for (const length of [10, 20, 30]) ring.push(text(length))
  expect(ring.read(0, 10, 1_000)).toMatchObject({ missed: 1, next: 3 })
  ring.push(text(500))
  const last = ring.read(3, 10, 1_000)
  expect([lengths(last.texts), last.missed]).toEqual([[500], 0])
  ring.clear()
  expect(ring.read(ring.next, 10, 1_000)).toEqual({ texts: [], next: 4, missed: 0 })
})
