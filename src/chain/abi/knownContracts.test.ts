import { encodeErrorResult, encodeFunctionData, parseAbi, parseAbiItem, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { fromHex } from '../../base/encoding/hex.ts'
import { describeCall, describeCustomError, type KnownContract } from './knownContracts.ts'
import { knownErrors } from './signatures.ts'

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

interface ErrorItem {
  readonly name: string
  readonly inputs: readonly { readonly type: string }[]
}

const selectorOf = ({ name, inputs }: ErrorItem): `0x${string}` =>
  toFunctionSelector(`${name}(${inputs.map(({ type }) => type).join(',')})`)

test('errors that many contracts have are told without an ABI', () => {
  const common = parseAbi([
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'error EnforcedPause()',
  ])
  const balance = encodeErrorResult({
    abi: common,
    errorName: 'ERC20InsufficientBalance',
    args: [who, 1n, 5n],
  })
  expect(describeCustomError(contracts, fromHex(balance))).toBe(`ERC20InsufficientBalance(${who}, 1, 5)`)
  const paused = encodeErrorResult({ abi: common, errorName: 'EnforcedPause' })
  expect(describeCustomError(undefined, fromHex(paused))).toBe('EnforcedPause()')
})

test('every error of the table is found by its selector, and none is there twice', () => {
  const lines = knownErrors.trim().split('\n')
  const selectors = lines.map((line) => {
    const item = parseAbiItem(`error ${line}`) as ErrorItem
    const found = describeCustomError(undefined, fromHex(selectorOf(item)))
    expect(found).toBe(item.inputs.length === 0 ? `${item.name}()` : `${item.name}(…)`)
    return selectorOf(item)
  })
  expect(new Set(selectors).size).toBe(lines.length)
})

test('calls are told likewise', () => {
  const input = encodeFunctionData({ abi, functionName: 'move', args: [who, true, '0x01020304'] })
  expect(describeCall(contract, fromHex(input))).toBe(`move(${who}, true, 0x01020304)`)
  expect(describeCall(contract, fromHex('0x'))).toBeUndefined()
})

test('functions that many contracts have are told without an ABI', () => {
  const common = parseAbi([
    'function transfer(address to, uint256 amount)',
    'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
  ])
  const transfer = encodeFunctionData({ abi: common, functionName: 'transfer', args: [who, 5n] })
  expect(describeCall(undefined, fromHex(transfer))).toBe(`transfer(${who}, 5)`)
  const most = encodeFunctionData({ abi: common, functionName: 'transfer', args: [who, 2n ** 256n - 1n] })
  expect(describeCall(undefined, fromHex(most))).toBe(`transfer(${who}, type(uint256).max)`)
  expect(describeCall({ name: 'Other', abi: [] }, fromHex(transfer))).toBeUndefined()
  const calls = encodeFunctionData({ abi: common, functionName: 'aggregate3', args: [[]] })
  expect(describeCall(undefined, fromHex(calls))).toBe('aggregate3(…)')
})
