import { expect, test } from 'vitest'
import { ethereumLimits, largestCodeSize } from '../../chain/config/limits.ts'
import { settings } from '../../config/settings/settings.ts'

test('the limits of a new dev chain are those of Ethereum, and may be as large as a chain has them', () => {
  expect(settings['genesis-code-size'].default).toBe(ethereumLimits.codeSize)
  expect(settings['genesis-transaction-gas'].default).toBe(ethereumLimits.transactionGas)
  expect(settings['genesis-code-size'].about).toContain('49152')
  expect(settings['genesis-code-size'].kind.fromText(String(largestCodeSize))).toEqual({
    value: largestCodeSize,
  })
})
