import { describe, expect, test } from 'vitest'
import { nextBaseFee } from './baseFee.ts'
import { blobBaseFee, gasPerBlob, nextExcessBlobGas } from './blobGas.ts'
import { effectiveGasPrice } from './effectiveGasPrice.ts'

const gwei = 1_000_000_000n

describe('the base fee (EIP-1559)', () => {
  test.each([
    [10_000_000n, gwei],
    [9_000_000n, 987_500_000n],
    [11_000_000n, 1_012_500_000n],
    [0n, 875_000_000n],
    [20_000_000n, 1_125_000_000n],
  ])('after %d gas of 20,000,000', (gasUsed, expected) => {
    expect(nextBaseFee({ baseFeePerGas: gwei, gasLimit: 20_000_000n, gasUsed })).toBe(expected)
  })

  test('begins with 1 gwei, and rises by at least one wei', () => {
    expect(nextBaseFee({ gasLimit: 20_000_000n, gasUsed: 0n })).toBe(gwei)
    expect(nextBaseFee({ baseFeePerGas: 7n, gasLimit: 20_000_000n, gasUsed: 10_000_001n })).toBe(8n)
    expect(nextBaseFee({ baseFeePerGas: 0n, gasLimit: 20_000_000n, gasUsed: 20_000_000n })).toBe(1n)
  })
})

describe('the price of blobs', () => {
  // e^(numerator / denominator) in integers, as the EIP's function gives it.
  test.each([
    [0n, 1n, 1n],
    [2n, 1n, 6n],
    [6n, 2n, 18n],
    [4n, 1n, 49n],
    [8n, 2n, 50n],
    [5n, 1n, 136n],
    [5n, 2n, 11n],
    [50_000_000n, 2_225_652n, 5_709_098_764n],
  ])('excess %d over %d', (excess, fraction, expected) => {
    expect(blobBaseFee(excess, { target: 3, max: 6, baseFeeUpdateFraction: fraction })).toBe(expected)
  })

  const cancun = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477n }
  const osaka = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n }

  test('the excess is what the target leaves (EIP-4844)', () => {
    const parent = (excessBlobGas: bigint, blobs: bigint) => ({
      excessBlobGas,
      blobGasUsed: blobs * gasPerBlob,
      baseFeePerGas: gwei,
    })
    expect(nextExcessBlobGas(parent(0n, 2n), 'cancun', cancun)).toBe(0n)
    expect(nextExcessBlobGas(parent(0n, 4n), 'cancun', cancun)).toBe(gasPerBlob)
    expect(nextExcessBlobGas(parent(gasPerBlob, 3n), 'cancun', cancun)).toBe(gasPerBlob)
    // The parent of the first block with blobs has no blob fields.
    expect(nextExcessBlobGas({}, 'cancun', cancun)).toBe(0n)
  })

  test('from Osaka on a price below the reserve falls no further (EIP-7918)', () => {
    const parent = { excessBlobGas: gasPerBlob, blobGasUsed: 6n * gasPerBlob, baseFeePerGas: gwei }
    expect(nextExcessBlobGas(parent, 'prague', osaka)).toBe(gasPerBlob)
    expect(nextExcessBlobGas(parent, 'osaka', osaka)).toBe(gasPerBlob + 2n * gasPerBlob)
    expect(nextExcessBlobGas({ ...parent, baseFeePerGas: 16n }, 'osaka', osaka)).toBe(gasPerBlob)
  })
})

test('the price of gas is the tip over the base fee, up to the cap', () => {
  const common = {
    type: 2,
    chainId: 1n,
    nonce: 0n,
    gasLimit: 21_000n,
    to: undefined,
    value: 0n,
    data: new Uint8Array(),
    accessList: [],
    maxFeePerGas: 100n,
  } as const
  expect(effectiveGasPrice({ ...common, maxPriorityFeePerGas: 10n }, 50n)).toBe(60n)
  expect(effectiveGasPrice({ ...common, maxPriorityFeePerGas: 10n }, 95n)).toBe(100n)
})
