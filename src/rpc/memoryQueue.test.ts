import { describe, expect, test } from 'vitest'
import { MemoryQueue } from './memoryQueue.ts'

const longEnough = 60_000
const stays = () => () => {}

/** A queue with `room` bytes of memory, each body takes as many as it is long. */
const createQueue = (waitMs = longEnough) => {
  const queue = new MemoryQueue(waitMs)
  const memory = { room: 0, tries: 0 }
  const wait = (
    length: number,
    onGone: (listener: () => void) => () => void = stays,
    client = 'one',
  ): Promise<boolean> => {
    const tryTake = (): boolean => {
      memory.tries++
      if (length > memory.room) return false
      memory.room -= length
      return true
    }
    return queue.wait({ client, length, needs: length, tryTake, onGone }, 300)
  }
  return { memory, wait, queue, admit: () => queue.admit(memory.room) }
}

describe('bodies that wait for memory', () => {
  test('they get it in the order of their arrival, also where a later one would fit', async () => {
    const { queue, memory, wait, admit } = createQueue()
    const order: string[] = []
    const note = (name: string, length: number): Promise<void> =>
      wait(length).then((isTaken) => void order.push(`${name} ${isTaken}`))
    const all = [note('large', 60), note('small', 10)]
    memory.room = 20
    admit()
    await Promise.resolve()
    expect(order).toEqual([])
    memory.room = 75
    admit()
    await Promise.all(all)
    expect({ order, room: memory.room, bytes: queue.bytes, isEmpty: queue.isEmpty }).toEqual({
      order: ['large true', 'small true'],
      room: 5,
      bytes: 0,
      isEmpty: true,
    })
  })

  test('what would hold more than a third of the memory for large requests does not wait', async () => {
    const { memory, wait, admit } = createQueue()
    const first = wait(90)
    expect(await wait(20)).toBe(false)
    memory.room = 100
    admit()
    expect(await first).toBe(true)
  })

  test('a body whose client leaves, or that has waited long enough, gives its place away', async () => {
    const { queue, memory, wait, admit } = createQueue(1)
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
    admit()
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

  test('nobody waits for what another client has sent, and clients take turns', async () => {
    const { queue, memory, wait, admit } = createQueue()
    const order: string[] = []
    const note = (client: string, length: number): Promise<void> =>
      wait(length, stays, client).then((isTaken) => void order.push(`${client} ${length} ${isTaken}`))
    const first = note('huge', 60)
    const others = [note('a', 4), note('a', 3), note('a', 2), note('b', 1)]
    memory.room = 20
    admit()
    await Promise.all(others)
    expect(order).toEqual(['a 4 true', 'b 1 true', 'a 3 true', 'a 2 true'])
    memory.room = 60
    admit()
    await first
    expect({ room: memory.room, bytes: queue.bytes, isEmpty: queue.isEmpty }).toEqual({
      room: 0,
      bytes: 0,
      isEmpty: true,
    })
  })

  test('a client that fills the queue makes room for one that holds less, and not the other way round', async () => {
    const { queue, memory, wait, admit } = createQueue()
    const of = (client: string, length: number): Promise<boolean> => wait(length, stays, client)
    const flood = [of('flood', 40), of('flood', 30), of('flood', 30)]
    const other = of('other', 20)
    expect(await flood[2]).toBe(false)
    expect(await of('flood', 30)).toBe(false)
    expect(await of('third', 80)).toBe(false)
    memory.room = 100
    admit()
    expect(await Promise.all([flood[0], flood[1], other])).toEqual([true, true, true])
    expect({ room: memory.room, bytes: queue.bytes }).toEqual({ room: 10, bytes: 0 })
  })

  test('nobody is tried while there is less room than each of them needs', async () => {
    const { queue, memory, wait, admit } = createQueue()
    let leave = (): void => {}
    const bodies = [
      wait(30, stays, 'a'),
      wait(10, stays, 'a'),
      wait(35, stays, 'b'),
      wait(
        20,
        (listener) => {
          leave = listener
          return () => {}
        },
        'c',
      ),
    ]
    const triesAt = (room: number): number => {
      memory.room = room
      const before = memory.tries
      admit()
      return memory.tries - before
    }
    expect(triesAt(15)).toBe(3)
    expect([15, 19, 0].map(triesAt)).toEqual([0, 0, 0])
    // A body that needs less has come.
    bodies.push(wait(5, stays, 'd'))
    expect(triesAt(4)).toBe(0)
    expect(triesAt(5)).toBe(4)
    expect(await bodies[4]).toBe(true)
    expect(triesAt(19)).toBe(0)
    leave()
    expect(await bodies[3]).toBe(false)
    expect(triesAt(30)).toBe(3)
    expect(await bodies[0]).toBe(true)
    // What was behind it needs less.
    expect(triesAt(10)).toBe(2)
    expect(await bodies[1]).toBe(true)
    expect(triesAt(34)).toBe(0)
    expect(triesAt(35)).toBe(1)
    expect(await bodies[2]).toBe(true)
    expect(queue.isEmpty).toBe(true)
  })

  test('the next body of a client is tried once the one before it has left', async () => {
    const { memory, wait, admit } = createQueue()
    let leave = (): void => {}
    const first = wait(50, (listener) => {
      leave = listener
      return () => {}
    })
    const second = wait(10)
    memory.room = 20
    admit()
    leave()
    expect(await first).toBe(false)
    admit()
    expect(await second).toBe(true)
  })
})
