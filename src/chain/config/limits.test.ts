import { describe, expect, test } from 'vitest'
import { describeLimits, ethereumLimits, initCodeSize, parseLimits, transactionGasCap } from './limits.ts'

describe('the limits of a chain', () => {
  test('are those of Ethereum unless the genesis names others', () => {
    expect(parseLimits({ chainId: 1 })).toEqual({ codeSize: 24_576, transactionGas: 16_777_216n })
    expect(parseLimits({ perihelion: {} })).toBe(ethereumLimits)
    expect(parseLimits({ perihelion: { limits: { codeSize: 50_000 } } })).toEqual({
      codeSize: 50_000,
      transactionGas: 16_777_216n,
    })
    expect(describeLimits(ethereumLimits)).toBeUndefined()
  })

  test('are written as they are read', () => {
    for (const limits of [
      { codeSize: 100_000, transactionGas: undefined },
      { codeSize: 24_576, transactionGas: 30_000_000n },
      { codeSize: 1, transactionGas: 16_777_216n },
    ])
      expect(parseLimits({ perihelion: { limits: describeLimits(limits) } })).toEqual(limits)
  })

  test('give init code twice the bytes of code, and a transaction its gas from Osaka on', () => {
    expect(initCodeSize(ethereumLimits)).toBe(49_152)
    expect(transactionGasCap(ethereumLimits, 'prague')).toBeUndefined()
    expect(transactionGasCap(ethereumLimits, 'osaka')).toBe(16_777_216n)
    expect(transactionGasCap({ ...ethereumLimits, transactionGas: undefined }, 'osaka')).toBe(1_000_000_000n)
  })

  test.each([
    [{ limits: { codeSize: 0 } }, /codeSize is 0: 1 to 262144 is possible/],
    [{ limits: { codeSize: 262_145 } }, /1 to 262144 is possible/],
    [{ validators: [], limits: { codeSize: 50_000 } }, /1 to 49152 is possible/],
    [{ limits: { transactionGas: 1_000_000_001 } }, /at most 1000000000 is possible/],
    [{ limits: { transactionGas: 'much' } }, /limits.transactionGas/],
    [{ limits: 7 }, /config.perihelion.limits/],
  ])('rejects %j', (perihelion, message) => {
    expect(() => parseLimits({ perihelion })).toThrow(message)
  })
})
