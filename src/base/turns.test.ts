import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('one key is served in order, others at the same time', async () => {
  const turns = new Turns()
  const heard: string[] = []
  const work = (name: string, ms: number) => async () => {
    heard.push(`${name} begins`)
    await sleep(ms)
    heard.push(`${name} ends`)
    return name
  }
  const results = await Promise.all([
    turns.take('a', work('a1', 20)),
    turns.take('a', work('a2', 1)),
    turns.take('b', work('b1', 5)),
  ])
  expect(results).toEqual(['a1', 'a2', 'b1'])
  expect(heard).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
})

test('one that fails does not hold up the next', async () => {
  const turns = new Turns()
  const failing = turns.take('a', async () => {
    await sleep(1)
    throw new Error('no')
  })
  const next = turns.take('a', async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})
