import { expect, test } from 'vitest'
import { failedSendFor } from './clientRules.ts'

test.each([
  ['hardhat 3.0.0', 'error'],
  ['Hardhat/2.22', 'error'],
  ['hardhatish 1', 'hash'],
  ['viem/2 hardhat', 'hash'],
  [undefined, 'hash'],
])('a failed send of %s is answered with the %s', (userAgent, expected) => {
  expect(failedSendFor(userAgent)).toBe(expected)
})
