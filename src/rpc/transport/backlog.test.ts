import { expect, test } from 'vitest'
import { MemoryBudget } from '../memoryBudget.ts'
import { type BacklogClient, SendBacklog } from './backlog.ts'

class Slow implements BacklogClient {
  waiting = 0
  isBehind = true
  isCut = false
  readonly #backlog: SendBacklog

  constructor(backlog: SendBacklog) {
    this.#backlog = backlog
  }

  set(waiting: number): this {
    const before = this.waiting
    this.waiting = waiting
    this.#backlog.update(this, before, this.isCut)
    return this
  }

  disconnectSlow(): void {
    this.#backlog.remove(this)
    this.isCut = true
  }

  cut(): void {
    this.set(0)
  }
}

test('those with the most unread go, and no more than it takes', () => {
  const backlog = new SendBacklog(100, new MemoryBudget(1000))
  const readers = [30, 50, 15, 0].map((waiting) => new Slow(backlog).set(waiting || 1).set(waiting))
  backlog.shedLoad()
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, false, false, false])
  readers[3]?.set(40)
  backlog.shedLoad()
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, true, false, false])
})

test('one that has a single large answer to read is left alone', () => {
  const backlog = new SendBacklog(100, new MemoryBudget(1000))
  const large = new Slow(backlog).set(500)
  large.isBehind = false
  backlog.shedLoad()
  expect(large.isCut).toBe(false)
  const slow = new Slow(backlog).set(10)
  backlog.shedLoad()
  expect([large.isCut, slow.isCut]).toEqual([false, true])
})

test('many that have a single large answer each go too, those first that have had it longest', () => {
  const backlog = new SendBacklog(100, new MemoryBudget(1000))
  const readers = [60, 30, 50].map((waiting) => {
    const reader = new Slow(backlog).set(waiting)
    reader.isBehind = false
    return reader
  })
  backlog.shedLoad(readers[2])
  expect(readers.map(({ isCut }) => isCut)).toEqual([true, false, false])
})

test('who was told to go may read on, as long as that is not too much in all', () => {
  const budget = new MemoryBudget(1000)
  const backlog = new SendBacklog(100, budget)
  const readers = [60, 70].map((waiting) => new Slow(backlog).set(waiting))
  backlog.shedLoad()
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, true])
  expect(backlog.allowsGrace).toBe(true)
  readers[0]?.disconnectSlow()
  expect(backlog.allowsGrace).toBe(false)
  expect(budget.used).toBe(130)
  readers[1]?.set(0)
  expect(backlog.allowsGrace).toBe(true)
  expect(budget.used).toBe(60)
  // Where memory is short for everybody, nobody has time.
  budget.count(700)
  expect(backlog.allowsGrace).toBe(false)
})

test('where there is no memory for small requests, those go first that were told to go, and then the slowest', () => {
  const budget = new MemoryBudget(1000)
  const backlog = new SendBacklog(10_000, budget)
  budget.addReaders(backlog)
  const [told, small, large] = [300, 200, 500].map((waiting) => new Slow(backlog).set(waiting)) as [
    Slow,
    Slow,
    Slow,
  ]
  told.disconnectSlow()
  expect(budget.take(50, 0)).toBe(true)
  expect([told.waiting, small.isCut, large.isCut]).toEqual([0, false, false])
  // Nobody goes for what they do not hold.
  expect(budget.take(2000, 0)).toBe(false)
  expect(budget.take(70_000, 0)).toBe(false)
  expect(budget.take(300, 0)).toBe(true)
  expect([small.isCut, large.isCut]).toEqual([false, true])
})
