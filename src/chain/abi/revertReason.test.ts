import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { encodeErrorResult } from 'viem'
import { expect, test } from 'vitest'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { revertReason } from './revertReason.ts'

const abi = [
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
  { type: 'error', name: 'Custom', inputs: [{ name: 'code', type: 'uint256' }] },
] as const

test('a reason comes back as it was encoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (reason) => {
      const data = fromHex(encodeErrorResult({ abi, errorName: 'Error', args: [reason] }))
      expect(revertReason(data)).toBe(reason)
    }),
  )
})

test('a reason without padding is read, as the official suite has it', () => {
  const data = AbiCoder.defaultAbiCoder().encode(['string'], ['user error'])
  expect(
    revertReason(fromHex(`0x08c379a0${data.slice(2, 2 + 128)}${toHex(Buffer.from('user error')).slice(2)}`)),
  ).toBe('user error')
})

test.each([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x99n, 'unknown panic code: 0x99'],
  [2n ** 255n, `unknown panic code: 0x8${'0'.repeat(63)}`],
])('panic %i is %s', (code, words) => {
  expect(revertReason(fromHex(encodeErrorResult({ abi, errorName: 'Panic', args: [code] })))).toBe(words)
})

test.each([
  ['nothing', '0x'],
  ['a bare selector', '0x08c379a0'],
  ['a bare panic', '0x4e487b71'],
  ['an offset past the end', `0x08c379a0${'ff'.repeat(32)}`],
  ['a length past the end', `0x08c379a0${'20'.padStart(64, '0')}${'ff'.repeat(32)}`],
  ['another error', encodeErrorResult({ abi, errorName: 'Custom', args: [1n] })],
])('%s says nothing', (_name, data) => {
  expect(revertReason(fromHex(data))).toBeUndefined()
})

test('no data is too strange', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('08c379a0', '4e487b71'),
      fc.uint8Array({ maxLength: 200 }),
      (selector, rest) => {
        const reason = revertReason(fromHex(`0x${selector}${toHex(rest).slice(2)}`))
        expect(reason === undefined || typeof reason === 'string').toBe(true)
      },
    ),
  )
})
