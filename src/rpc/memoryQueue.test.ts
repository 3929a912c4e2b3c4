import { describe, expect, test } from 'vitest'
import { MemoryQueue } from './memoryQueue.ts'

const longEnough = 60_000
const stays = () => () => {}

/** A queue with `room` bytes of memory, each body takes as many as it is long. */
const createQueue = (waitMs = longEnough) => {
  const queue = new MemoryQueue(waitMs)
  const memory = { room: 0 }
  const wait = (length: number, onGone: (listener: () => void) => () => void = stays): Promise<boolean> =>
    queue.wait(
      length,
      300,
      () => {
        if (length > memory.room) return false
        memory.room -= length
        return true
      },
      onGone,
    )
  return { queue, memory, wait }
}

describe('bodies that wait for memory', () => {
  test('they get it in the order of their arrival, also where a later one would fit', async () => {
    const { queue, memory, wait } = createQueue()
    const order: string[] = []
    const note = (name: string, length: number): Promise<void> =>
      wait(length).then((isTaken) => void order.push(`${name} ${isTaken}`))
    const all = [note('large', 60), note('small', 10)]
    memory.room = 20
    queue.admit()
    await Promise.resolve()
    expect(order).toEqual([])
    memory.room = 75
    queue.admit()
    await Promise.all(all)
    expect({ order, room: memory.room, bytes: queue.bytes, isEmpty: queue.isEmpty }).toEqual({
      order: ['large true', 'small true'],
      room: 5,
      bytes: 0,
      isEmpty: true,
    })
  })

  test('what would hold more than a third of the memory for large requests does not wait', async () => {
    const { queue, memory, wait } = createQueue()
    const first = wait(90)
    expect(await wait(20)).toBe(false)
    memory.room = 100
    queue.admit()
    expect(await first).toBe(true)
  })

  test('a body whose client leaves, or that has waited long enough, gives its place away', async () => {
    const { queue, memory, wait } = createQueue(1)
    let leave = (): void => {}
    let listeners = 0
    const left = wait(50, (listener) => {
      listeners++
      leave = listener
      return () => listeners--
    })
    leave()
    expect(await left).toBe(false)
    expect(await wait(50)).toBe(false)
    memory.room = 100
    queue.admit()
    expect({ room: memory.room, bytes: queue.bytes, listeners }).toEqual({
      room: 100,
      bytes: 0,
      listeners: 0,
    })
  })

  test('a client that is gone before it waits does not wait', async () => {
    const { queue, wait } = createQueue()
    const gone = wait(50, (listener) => {
      listener()
      return () => {}
    })
    expect(await gone).toBe(false)
    expect(queue.isEmpty).toBe(true)
  })
})
