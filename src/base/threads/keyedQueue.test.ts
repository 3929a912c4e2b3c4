import { expect, test } from 'vitest'
import { KeyedQueue } from './keyedQueue.ts'

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('one key is served in order, others at the same time', async () => {
  const queue = new KeyedQueue({ name: 'turn' })
  const heard: string[] = []
  const work = (name: string, count: number) => async () => {
    heard.push(`${name} begins`)
    await turns(count)
    heard.push(`${name} ends`)
    return name
  }
  const results = await Promise.all([
    queue.run('a', work('a1', 20)),
    queue.run('a', work('a2', 1)),
    queue.run('b', work('b1', 5)),
  ])
  expect(results).toEqual(['a1', 'a2', 'b1'])
  expect(heard).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
})

test('one that fails does not hold up the next', async () => {
  const queue = new KeyedQueue({ name: 'turn' })
  const failing = queue.run('a', async () => {
    await turns(1)
    throw new Error('no')
  })
  const next = queue.run('a', async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

test('more than may wait for a key are rejected, and others come after them', async () => {
  const error = new Error('too many')
  const queue = new KeyedQueue({ name: 'turn', limit: { maxWaiting: 1, error: () => error } })
  const released: (() => void)[] = []
  const work = (): Promise<void> => new Promise((resolve) => released.push(resolve))
  const running = queue.run('a', work)
  const waiting = queue.run('a', work)
  await expect(queue.run('a', work)).rejects.toBe(error)
  const other = queue.run('b', work)
  for (const release of released.splice(0)) release()
  await Promise.all([running, other])
  const next = queue.run('a', work)
  await turns(1)
  for (const release of released.splice(0)) release()
  await waiting
  await turns(1)
  for (const release of released.splice(0)) release()
  await next
})

test('a wait is reported under the name of the queue, work that need not wait is not', async () => {
  const heard: string[] = []
  const waits = {
    startWait: (name: string) => {
      heard.push(`${name} begins`)
      return () => heard.push(`${name} ends`)
    },
  }
  const queue = new KeyedQueue({ name: 'turn' }, waits)
  const work = (name: string) => async () => {
    await turns(1)
    heard.push(name)
  }
  await Promise.all([queue.run('a', work('first')), queue.run('a', work('second'))])
  expect(heard).toEqual(['turn begins', 'first', 'turn ends', 'second'])
})
