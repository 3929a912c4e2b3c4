import { describe, expect, it } from 'vitest'
import { evidenceAge } from './genesisDoc.ts'
import { createRetainHeight } from './retainHeight.ts'

/** A chain with a block each so many seconds. */
const retain = (retained: number, secondsEach: number) => {
  let number = 0
  let snapshot: number | undefined
  const height = createRetainHeight(
    { retained },
    {
      head: () => ({ number, time: BigInt(number * secondsEach) }),
      timeAt: (at) => BigInt(at * secondsEach),
      oldestSnapshot: () => snapshot,
    },
  )
  return (head: number, oldestSnapshot?: number): number => {
    number = head
    snapshot = oldestSnapshot
    return height()
  }
}

describe('what the engine may forget', () => {
  it('is nothing where every state is kept', () => {
    expect(retain(Number.POSITIVE_INFINITY, 10)(10_000_000)).toBe(0)
  })

  it('is what is older than evidence may be, by blocks and by time', () => {
    // Slow blocks: their number decides.
    const slow = retain(10, 10)
    expect(slow(100)).toBe(0)
    expect(slow(evidenceAge.blocks)).toBe(0)
    expect(slow(evidenceAge.blocks + 500)).toBe(500)
    // Fast ones: their age does. Every block below is over the age, the next one is not.
    const fast = retain(10, 1)
    const height = fast(evidenceAge.seconds + 1000)
    expect(height).toBe(1000)
    expect(fast(evidenceAge.seconds + 1001)).toBe(1001)
  })

  it('is not a block whose state is kept, or that the operator wants to keep', () => {
    expect(retain(300_000, 10)(1_000_000)).toBe(700_001)
  })

  it('is nothing that a node needs which restores the oldest snapshot', () => {
    const height = retain(10, 10)
    expect(height(1_000_000, 500)).toBe(500)
    expect(height(1_000_001, 900_000)).toBe(900_000)
    expect(height(1_000_002, 999_000)).toBe(900_002)
    // A snapshot may be gone; what was allowed before is not requested again.
    expect(height(1_000_003, 100)).toBe(100)
    expect(height(1_000_004)).toBe(900_004)
  })

  it('takes headers that are not kept for old ones', () => {
    const height = createRetainHeight(
      { retained: 10 },
      {
        head: () => ({ number: 500_000, time: 500_000n }),
        timeAt: (at) => (at < 200_000 ? undefined : BigInt(at)),
        oldestSnapshot: () => undefined,
      },
    )
    expect(height()).toBe(500_000 - evidenceAge.seconds)
  })
})
