import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { maxWaiting, PipelineTurns } from './pipelineTurns.ts'

const unexpected = (_: Socket, error: unknown): void => {
  throw error
}

test('a connection has its share of a turn, the rest comes in order, and what is too many is not taken', async () => {
  const turns = new PipelineTurns(unexpected)
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

test('a request that throws after its wait is reported with its connection, and the others are run', async () => {
  const failed: unknown[] = []
  const turns = new PipelineTurns((socket, error) => void failed.push([socket, error]))
  const socket = new Socket()
  const error = new Error('broken')
  let ran = 0
  for (let index = 0; index < 70; index++)
    turns.run(socket, () => {
      ran++
      if (index === 65) throw error
    })
  await nextTurn()
  await nextTurn()
  expect({ ran, failed }).toEqual({ ran: 70, failed: [[socket, error]] })
})
