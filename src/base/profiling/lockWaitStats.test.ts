import { expect, test } from 'vitest'
import { LockWaitStats } from './lockWaitStats.ts'

test('waits are counted by lock; a wait that goes on is shown as such', () => {
  const waits = new LockWaitStats()
  const ends = [waits.startWait('a'), waits.startWait('a'), waits.startWait('b')]
  ends[0]?.()
  ends[0]?.()
  ends[2]?.()
  const { locks, waiting, stacks } = waits.report()
  expect(locks.map(({ lock, count }) => [lock, count]).sort()).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  expect(waiting).toEqual({ a: 1, b: 0 })
  expect(stacks).toEqual([])
})

test('a measured time has the waits that began in it, with their stacks', () => {
  const waits = new LockWaitStats()
  const early = waits.startWait('early')
  const end = waits.measure()
  const waitHere = () => waits.startWait('late')
  const late = waitHere()
  early()
  late()
  const { locks, stacks } = end()
  expect(locks.map(({ lock }) => lock)).toEqual(['late'])
  expect(stacks).toHaveLength(1)
  expect(stacks[0]?.stack[0]).toMatch(/^waitHere \(/)
  waits.startWait('after')()
  expect(waits.report().locks).toHaveLength(3)
})

test('of one wait in so many the stack is kept', () => {
  const waits = new LockWaitStats()
  const keptOf = (fraction: number): number => {
    waits.setFraction(fraction)
    const before = count()
    for (let wait = 0; wait < 2000; wait++) waits.startWait('a')()
    return count() - before
  }
  const count = (): number => waits.report().stacks.reduce((sum, row) => sum + row.count, 0)
  expect(keptOf(0)).toBe(0)
  expect(keptOf(1)).toBe(2000)
  const tenth = keptOf(10)
  expect(tenth).toBeGreaterThan(50)
  expect(tenth).toBeLessThan(600)
})
