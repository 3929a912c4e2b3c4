import { expect, test, vi } from 'vitest'
import { TimeSlice, TurnQueue } from './timeSlice.ts'

test('is over after its time, and starts over once others had their turn', async () => {
  let now = 100
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const slice = new TimeSlice(5)
    now = 105
    expect(slice.isOver).toBe(false)
    now = 105.1
    expect(slice.isOver).toBe(true)
    let hasRun = false
    setImmediate(() => {
      hasRun = true
    })
    await slice.next()
    expect(hasRun).toBe(true)
    expect(slice.isOver).toBe(false)
    now = 111
    expect(slice.isOver).toBe(true)
  } finally {
    clock.mockRestore()
  }
})

test('those that wait take turns, one in each turn of the event loop', async () => {
  const order: string[] = []
  let turn = 0
  const count = (): void => {
    turn++
    if (order.length < 6) setImmediate(count)
  }
  setImmediate(count)
  const work = async (name: string): Promise<void> => {
    const slice = new TimeSlice()
    for (let step = 0; step < 2; step++) {
      await slice.next()
      order.push(`${name} ${turn}`)
    }
  }
  const all = ['a', 'b', 'c'].map(work)
  const late = TimeSlice.inTurn()
  expect(late.isOver).toBe(true)
  await Promise.all(all)
  expect(order).toEqual(['a 1', 'b 2', 'c 3', 'a 4', 'b 5', 'c 6'])
  expect(TimeSlice.inTurn().isOver).toBe(false)
})

test('work of a queue of its own does not hold up the rest', async () => {
  const searches = new TurnQueue()
  let waiting = 10
  const all = Promise.all(Array.from({ length: waiting }, () => searches.turn().then(() => waiting--)))
  expect(TimeSlice.inTurn(searches).isOver).toBe(true)
  expect(TimeSlice.inTurn().isOver).toBe(false)
  await TimeSlice.turn()
  expect(waiting).toBeGreaterThan(5)
  await all
  expect(searches.isBusy).toBe(false)
})
