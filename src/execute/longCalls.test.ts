import { expect, test } from 'vitest'
import type { CallRequest } from '../chain/port/executor.ts'
import { LongCalls } from './longCalls.ts'

const call = (to: number, selector: number, more: Partial<CallRequest> = {}): CallRequest => ({
  request: { to: new Uint8Array(20).fill(to), data: new Uint8Array(40).fill(selector) },
  ...more,
})

test('the same calls are remembered, others of their function are not', () => {
  const calls = new LongCalls()
  expect(calls.has('call', call(1, 1))).toBe(false)
  calls.add('call', call(1, 1))
  expect(calls.has('call', call(1, 1))).toBe(true)
  expect(calls.has('estimate', call(1, 1))).toBe(false)
  expect(calls.has('call', call(2, 1))).toBe(false)
  expect(calls.has('call', call(1, 2))).toBe(false)
  const other = call(1, 1)
  other.request.data?.set([9], 20)
  expect(calls.has('call', other)).toBe(false)
  const code = { address: new Uint8Array(20).fill(1), code: new Uint8Array(7) }
  expect(calls.has('call', call(1, 1, { stateOverrides: [code] }))).toBe(false)
  expect(calls.has('call', { request: {} })).toBe(false)
})
