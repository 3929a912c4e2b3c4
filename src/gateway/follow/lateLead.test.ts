import { describe, expect, it } from 'vitest'
import { LateLead } from './lateLead.ts'

describe('a lead', () => {
  it('is not left on a chain that stands, however long', () => {
    const lead = new LateLead()
    for (let second = 0; second < 1_000; second += 5) expect(lead.isLeft(7, 7, second * 1_000)).toBe(false)
    expect(lead.isLeft(7, 0, 2_000_000)).toBe(false)
  })

  it('that stays where it is while another one goes on is left', () => {
    const lead = new LateLead()
    expect(lead.isLeft(7, 7, 0)).toBe(false)
    expect(lead.isLeft(7, 8, 50_000)).toBe(false)
    expect(lead.isLeft(7, 9, 59_999)).toBe(false)
    expect(lead.isLeft(7, 9, 60_000)).toBe(true)
  })

  it('that others overtake for moments is not left', () => {
    const lead = new LateLead()
    for (let height = 1; height < 100; height++) {
      expect(lead.isLeft(height, height + 1, height * 6_000)).toBe(false)
      expect(lead.isLeft(height, height + 1, height * 6_000 + 5_000)).toBe(false)
    }
  })

  it('that gives a block now and then while the chain is far ahead is left', () => {
    const lead = new LateLead()
    for (let at = 0; at < 60_000; at += 9_000) expect(lead.isLeft(at / 9_000, 100 + at, at)).toBe(false)
    expect(lead.isLeft(7, 100_000, 63_000)).toBe(true)
  })
})
