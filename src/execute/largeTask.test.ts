import { expect, test } from 'vitest'
import type { CallRequest } from '../chain/port/executor.ts'
import { isLarge, isLargeCall } from './largeTask.ts'

const to = new Uint8Array(20)
const word = new Uint8Array(32)
const overridesOf = (count: number) => Array.from({ length: count }, () => ({ address: to, balance: 1n }))
const keysOf = (count: number) => [{ address: to, storageKeys: Array(count).fill(word) as Uint8Array[] }]

test.each<[string, boolean, CallRequest]>([
  ['nothing', false, { request: {} }],
  ['little data', false, { request: { to, data: new Uint8Array(100_000) } }],
  ['much data', true, { request: { to, data: new Uint8Array(300_000) } }],
  [
    'an override',
    false,
    { request: { to }, stateOverrides: [{ address: to, code: new Uint8Array(24_576) }] },
  ],
  ['many overrides', true, { request: { to }, stateOverrides: overridesOf(1_000) }],
  ['much code', true, { request: { to }, stateOverrides: [{ address: to, code: new Uint8Array(300_000) }] }],
  [
    'many slots',
    true,
    { request: { to }, stateOverrides: [{ address: to, state: new Uint8Array(300_000) }] },
  ],
  ['an access list', false, { request: { to, accessList: keysOf(100) } }],
  ['a long access list', true, { request: { to, accessList: keysOf(1_000) } }],
])('a call with %s is large: %s', (_, expected, call) => {
  expect(isLargeCall(call)).toBe(expected)
})

test('few calls together are not large, many are', () => {
  const bundleOf = (count: number) => ({ bundles: [{ transactions: Array(count).fill({ to }) as object[] }] })
  expect(isLarge(bundleOf(100))).toBe(false)
  expect(isLarge(bundleOf(1_000))).toBe(true)
})

test('no more is looked at than decides', () => {
  let looks = 0
  const member = {
    get looked() {
      return looks++
    },
  }
  expect(isLarge(Array(100_000).fill(member))).toBe(true)
  expect(looks).toBeLessThan(1_000)
})
