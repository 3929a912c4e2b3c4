import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { maxWaiting, PipelineTurns } from './pipelineTurns.ts'

test('a connection has its share of a turn, the rest comes in order, and what is too many is not taken', async () => {
  const turns = new PipelineTurns()
  const [busy, other] = [new Socket(), new Socket()]
  const ran: number[] = []
  const taken = Array.from({ length: maxWaiting + 100 }, (_, index) =>
    turns.run(busy, () => void ran.push(index)),
  )
  expect(ran).toHaveLength(64)
  expect(taken.indexOf(false)).toBe(64 + maxWaiting)
  let isOtherRun = false
  turns.run(other, () => {
    isOtherRun = true
  })
  expect(isOtherRun).toBe(true)
  await nextTurn()
  await nextTurn()
  expect(ran.length).toBeLessThan(64 * 4)
  while (ran.length < 64 + maxWaiting) await nextTurn()
  expect(ran).toEqual(Array.from(ran.keys()))
  await nextTurn()
  expect(turns.run(busy, () => void ran.push(ran.length))).toBe(true)
  expect(ran).toHaveLength(64 + maxWaiting + 1)
})
