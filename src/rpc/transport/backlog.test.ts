import { expect, test } from 'vitest'
import { Backlog, type Reader } from './backlog.ts'

class Slow implements Reader {
  waiting = 0
  isBehind = true
  isCut = false
  readonly #backlog: Backlog

  constructor(backlog: Backlog) {
    this.#backlog = backlog
  }

  set(waiting: number): this {
    const before = this.waiting
    this.waiting = waiting
    this.#backlog.update(this, before, this.isCut)
    return this
  }

  cut(): void {
    this.#backlog.leave(this)
    this.isCut = true
  }
}

test('those with the most unread go, and no more than it takes', () => {
  const backlog = new Backlog(100)
  const readers = [30, 50, 15, 0].map((waiting) => new Slow(backlog).set(waiting || 1).set(waiting))
  backlog.relieve()
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, false, false, false])
  readers[3]?.set(40)
  backlog.relieve()
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, true, false, false])
})

test('one that has a single large answer to read is left alone', () => {
  const backlog = new Backlog(100)
  const large = new Slow(backlog).set(500)
  large.isBehind = false
  backlog.relieve()
  expect(large.isCut).toBe(false)
  const slow = new Slow(backlog).set(10)
  backlog.relieve()
  expect([large.isCut, slow.isCut]).toEqual([false, true])
})

test('who was told to go may read on, as long as that is not too much in all', () => {
  const backlog = new Backlog(100)
  const readers = [60, 70].map((waiting) => new Slow(backlog).set(waiting))
  backlog.relieve()
  expect(readers.map(({ isCut }) => isCut)).toEqual([false, true])
  expect(backlog.hasPatience).toBe(true)
  readers[0]?.cut()
  expect(backlog.hasPatience).toBe(false)
  readers[1]?.set(0)
  expect(backlog.hasPatience).toBe(true)
})
