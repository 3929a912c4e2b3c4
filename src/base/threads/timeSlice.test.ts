import { expect, test, vi } from 'vitest'
import { TimeSlice } from './timeSlice.ts'

test('is over after its time, and begins anew once others had their turn', async () => {
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
