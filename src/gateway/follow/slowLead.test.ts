import { describe, expect, it } from 'vitest'
import { SlowLead } from './slowLead.ts'

const minuteMs = 60_000

/** Looks every five seconds for so many minutes; returns when the lead was left first, in seconds. */
const leftAfter = (
  lead: SlowLead,
  minutes: number,
  taken: (seconds: number) => number,
  highest: (seconds: number) => number,
): number | undefined => {
  lead.begin()
  for (let seconds = 0; seconds <= 60 * minutes; seconds += 5)
    if (lead.isLeft(Math.floor(taken(seconds)), Math.floor(highest(seconds)), seconds * 1_000)) return seconds
  return undefined
}

describe('a lead', () => {
  it('that gives nothing is left after a minute, if another one has the next block', () => {
    expect(
      leftAfter(
        new SlowLead(),
        5,
        () => 7,
        () => 8,
      ),
    ).toBe(60)
    expect(
      leftAfter(
        new SlowLead(),
        60,
        () => 7,
        () => 7,
      ),
    ).toBeUndefined()
    expect(
      leftAfter(
        new SlowLead(),
        60,
        () => 7,
        () => 0,
      ),
    ).toBeUndefined()
  })

  it('is not left during a long backfill, whatever others say', () => {
    expect(
      leftAfter(
        new SlowLead(),
        600,
        (seconds) => seconds,
        () => 10_000_000,
      ),
    ).toBeUndefined()
    expect(
      leftAfter(
        new SlowLead(),
        600,
        (seconds) => seconds / 50,
        () => 10_000_000,
      ),
    ).toBeUndefined()
    const lie = (seconds: number) => 1_000_000 + 1_000 * seconds
    expect(leftAfter(new SlowLead(), 600, (seconds) => 0.6 * seconds, lie)).toBeUndefined()
  })

  it('that keeps up is not left, though others are a few blocks further', () => {
    expect(
      leftAfter(
        new SlowLead(),
        600,
        (seconds) => seconds / 30,
        (seconds) => seconds / 30 + 1,
      ),
    ).toBeUndefined()
    expect(
      leftAfter(
        new SlowLead(),
        600,
        (seconds) => 2 * seconds,
        (seconds) => 2 * seconds + 9,
      ),
    ).toBeUndefined()
  })

  it('that gives a block now and then while the chain goes away is left', () => {
    const left = leftAfter(
      new SlowLead(),
      60,
      (seconds) => seconds / 50,
      (seconds) => seconds,
    )
    expect(left).toBeGreaterThan(60)
    expect(left).toBeLessThan(5 * 60)
  })

  it('has twice the time for a block that the one before it was left for', () => {
    const lead = new SlowLead()
    const times = [1, 2, 3, 4, 5, 6].map(() =>
      leftAfter(
        lead,
        60,
        () => 7,
        () => 8,
      ),
    )
    expect(times).toEqual([60, 120, 240, 480, 960, 1_200])
    // The next block has the usual time.
    expect(
      leftAfter(
        lead,
        60,
        () => 8,
        () => 9,
      ),
    ).toBe(60)
  })

  it('is looked at often enough', () => {
    expect(new SlowLead().everyMs).toBe(5_000)
    expect(new SlowLead(minuteMs / 600).everyMs).toBe(25)
  })
})
