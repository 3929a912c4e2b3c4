import { describe, expect, test } from 'vitest'
import { toChecksum } from './hex.ts'
import { formatPercent, formatUnits, formatUnitsShort, group, parseUnits } from './numbers.ts'
import { formatDuration } from './time.ts'

describe('figures', () => {
  test('are grouped and keep every digit', () => {
    expect(group(1234567)).toBe('1,234,567')
    expect(group(12n)).toBe('12')
    expect(formatUnits(1500000000000000000n, 18)).toBe('1.5')
    expect(formatUnits(-1n, 18)).toBe('-0.000000000000000001')
    expect(formatUnits(1234567n, 0)).toBe('1,234,567')
  })

  test('are cut in tables without becoming nothing', () => {
    expect(formatUnitsShort(1n, 18)).toBe('<0.000001')
    expect(formatUnitsShort(0n, 18)).toBe('0')
    expect(formatUnitsShort(1_000_000_123_456_789_000n, 18)).toBe('1')
    expect(formatPercent(1, 100_000)).toBe('<0.1 %')
  })

  test('are read as they are typed', () => {
    expect(parseUnits('1,000.5', 18)).toBe(1000500000000000000000n)
    expect(parseUnits('1.23', 1)).toBeUndefined()
    expect(parseUnits('-1', 18)).toBeUndefined()
  })
})

test('ages', () => {
  expect([0, 5, 65, 7200, 200_000].map((age) => formatDuration(age))).toEqual([
    '0 s',
    '5 s',
    '1 min',
    '2 h',
    '2 d',
  ])
})

test('addresses with their checksum', () => {
  expect(toChecksum('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')).toBe(
    '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  )
})
