import { encodeErrorResult, encodeFunctionData, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { fromHex } from '../../base/encoding/hex.ts'
import { describeCall, describeCustomError, type KnownContract } from './knownContracts.ts'

const abi = parseAbi([
  'error TooLow(uint256 have, int8 want, string why)',
  'error List(uint256[] items)',
  'function move(address to, bool isFast, bytes4 tag)',
])
const contract: KnownContract = { name: 'Bank', abi: [null, { type: 'error' }, ...abi] }
const contracts = { find: () => contract, all: () => [{ name: 'Other', abi: [] }, contract] }
const who = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('custom errors are told by name, with their values', () => {
  const error = encodeErrorResult({ abi, errorName: 'TooLow', args: [11n, -2, 'poor'] })
  expect(describeCustomError(contracts, fromHex(error))).toBe('TooLow(11, -2, poor)')
  expect(describeCustomError(contracts, fromHex(error).subarray(0, 60))).toBe('TooLow(…)')
  const list = encodeErrorResult({ abi, errorName: 'List', args: [[1n]] })
  expect(describeCustomError(contracts, fromHex(list))).toBe('List(…)')
  expect(describeCustomError(contracts, fromHex('0x01020304'))).toBeUndefined()
})

test('calls are told likewise', () => {
  const input = encodeFunctionData({ abi, functionName: 'move', args: [who, true, '0x01020304'] })
  expect(describeCall(contract, fromHex(input))).toBe(`move(${who}, true, 0x01020304)`)
  expect(describeCall(contract, fromHex('0x'))).toBeUndefined()
})
