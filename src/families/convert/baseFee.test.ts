import { describe, expect, it } from 'vitest'
import { type FeeMarketParams, type FeeParent, nextBaseFee, toWei } from './baseFee.ts'

const one = 10n ** 18n
const market: FeeMarketParams = {
  noBaseFee: false,
  changeDenominator: 8n,
  elasticity: 2n,
  enableHeight: 0n,
  baseFee: 77n,
  minGasPrice: 3n * one,
}
const parent: FeeParent = { height: 10, decimalBaseFee: 100n * one, blockGas: 500n, maxGas: 1_000n }
const next = (fields: Partial<FeeParent>, terms: Partial<FeeMarketParams> = {}, decimals = 18) =>
  nextBaseFee({ ...parent, ...fields }, { ...market, ...terms }, decimals)

describe('nextBaseFee', () => {
  it('follows the gas of the block before, with fractions', () => {
    expect(next({})).toBe(100n * one)
    expect(next({ blockGas: 1_000n })).toBe((100n * one * 9n) / 8n)
    expect(next({ blockGas: 0n })).toBe((100n * one * 7n) / 8n)
    expect(next({ blockGas: 501n })).toBe(101n * one)
    expect(next({ blockGas: 499n })).toBe(100n * one - (100n * one) / 500n / 8n)
  })

  it('rises by a unit of the EVM at least, and does not fall below the least price', () => {
    expect(next({ decimalBaseFee: 1n, blockGas: 501n })).toBe(one + 1n)
    expect(next({ decimalBaseFee: 1n, blockGas: 501n }, {}, 6)).toBe(10n ** 6n + 1n)
    expect(next({ decimalBaseFee: 3n * one, blockGas: 0n })).toBe(3n * one)
  })

  it('knows no limit of gas, and none to spend', () => {
    expect(next({ maxGas: -1n, blockGas: 2n ** 63n - 1n })).toBe(100n * one)
    expect(next({ maxGas: 1n, blockGas: 5n })).toBe(0n)
  })

  it('begins at the height that the chain says, if at all', () => {
    expect(next({}, { noBaseFee: true })).toBeUndefined()
    expect(next({}, { enableHeight: 12n })).toBeUndefined()
    expect(next({}, { enableHeight: 11n })).toBe(77n)
    expect(next({}, { elasticity: 0n })).toBeUndefined()
  })

  it('is cut to whole wei', () => {
    expect(toWei(7n * one + one / 2n, 18)).toBe(7n)
    expect(toWei(one / 400n, 6)).toBe(2_500_000_000n)
  })
})
