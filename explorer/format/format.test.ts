import { describe, expect, test } from 'vitest'
import { blobFeeOf, feeOf } from './fees.ts'
import { toChecksum } from './hex.ts'
import {
  formatGwei,
  formatPercent,
  formatUnits,
  formatUnitsShort,
  group,
  parseUnits,
  toBig,
  toNumber,
} from './numbers.ts'
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

  test('of a few wei are not part of a gwei', () => {
    expect([0n, 7n, 99_999n, 100_000n, 1_500_000_000n].map(formatGwei)).toEqual([
      '0 gwei',
      '7 wei',
      '99,999 wei',
      '0.0001 gwei',
      '1.5 gwei',
    ])
  })

  test('of more than 256 bits are rejected, as writing them out could take forever', () => {
    expect(toBig(`0x${'f'.repeat(64)}`)).toBe(2n ** 256n - 1n)
    expect(() => toBig(`0x${'f'.repeat(65)}`)).toThrow('more than 256 bits')
    expect(() => toNumber(`0x${'f'.repeat(65)}`)).toThrow('more than 256 bits')
  })

  test('are read as they are typed', () => {
    expect(parseUnits('1,000.5', 18)).toBe(1000500000000000000000n)
    expect(parseUnits('1.23', 1)).toBeUndefined()
    expect(parseUnits('-1', 18)).toBeUndefined()
  })
})

test('fees, with and without blobs', () => {
  const receipt = { gasUsed: '0x5208', effectiveGasPrice: '0x2' } as const
  expect([feeOf(receipt), blobFeeOf(receipt)]).toEqual([42_000n, 0n])
  const withBlob = { ...receipt, blobGasUsed: '0x20000', blobGasPrice: '0x3' } as const
  expect([feeOf(withBlob), blobFeeOf(withBlob)]).toEqual([42_000n + 393_216n, 393_216n])
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
  // What a node gives for an address may be anything.
  expect(toChecksum('0xABC<b>')).toBe('0xABC<b>')
})
