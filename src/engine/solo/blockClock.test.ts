import { expect, test } from 'vitest'
import { laterThanParent } from '../blocks/blockTime.ts'
import { BlockClock } from './blockClock.ts'

const now = 1_000_000 // in milliseconds: second 1000

test('without settings the time follows the rule of the chain', () => {
  const clock = new BlockClock(laterThanParent)
  expect(clock.nextTime(900, now)).toBe(1000)
  expect(clock.nextTime(1005, now)).toBe(1006)
})

test('an increase moves all later blocks, and adds up', () => {
  const clock = new BlockClock(laterThanParent)
  expect(clock.increase(100, 900, now)).toBe(100)
  expect(clock.nextTime(900, now)).toBe(1100)
  expect(clock.increase(50, 900, now)).toBe(150)
  expect(clock.nextTime(900, now + 1000)).toBe(1151)
})

test('blocks that were faster than the clock are moved by as much', () => {
  const clock = new BlockClock(laterThanParent)
  expect(clock.increase(10, 1040, now)).toBe(50)
  expect(clock.nextTime(1040, now)).toBe(1050)
})

test('a set time is for one block, and the next goes on from it', () => {
  const clock = new BlockClock(laterThanParent)
  clock.setNext(5000)
  expect(clock.nextTime(900, now)).toBe(5000)
  clock.onBlock(5000, now)
  expect(clock.nextTime(5000, now)).toBe(5001)
  expect(clock.nextTime(5000, now + 7000)).toBe(5007)
})

test('no block is before its parent', () => {
  const clock = new BlockClock(laterThanParent)
  clock.setNext(100)
  expect(clock.nextTime(900, now)).toBe(900)
  clock.setNow(100, now)
  expect(clock.nextTime(900, now)).toBe(901)
})

test('with an interval the clock does not count', () => {
  const clock = new BlockClock(laterThanParent)
  clock.interval = 12
  expect(clock.nextTime(900, now)).toBe(912)
  clock.setNext(2000)
  expect(clock.nextTime(900, now)).toBe(2000)
  clock.onBlock(2000, now)
  expect(clock.nextTime(2000, now)).toBe(2012)
  clock.interval = undefined
  expect(clock.nextTime(2000, now)).toBe(2001)
})

test('no time is too late to be counted from', () => {
  const clock = new BlockClock(laterThanParent)
  clock.setNext(Number.MAX_SAFE_INTEGER)
  const last = clock.nextTime(900, now)
  expect(last).toBe(2 ** 52)
  clock.onBlock(last, now)
  expect(clock.nextTime(last, now)).toBe(last)
  clock.increase(Number.MAX_SAFE_INTEGER, last, now)
  expect(clock.nextTime(last, now)).toBe(last)
  clock.interval = Number.MAX_SAFE_INTEGER
  expect(clock.nextTime(last, now)).toBe(last)
})

test('offset and interval survive', () => {
  const clock = new BlockClock(laterThanParent)
  clock.increase(100, 900, now)
  const other = new BlockClock(laterThanParent)
  other.settings = clock.settings
  expect(other.nextTime(900, now)).toBe(1100)
})
