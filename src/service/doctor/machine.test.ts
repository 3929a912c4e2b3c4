import { expect, test } from 'vitest'
import { isAtLeast } from './machine.ts'

test.each([
  ['20.19.0', '20.19', true],
  ['20.18.3', '20.19', false],
  ['22.1.0', '20.19', true],
  ['18.20.0', '20.19', false],
])('version %s is at least %s: %s', (version, wanted, expected) => {
  expect(isAtLeast(version, wanted)).toBe(expected)
})
