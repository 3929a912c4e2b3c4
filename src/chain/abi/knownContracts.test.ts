import { encodeErrorResult, encodeFunctionData, parseAbi, parseAbiItem, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { fromHex } from '../../base/encoding/hex.ts'
import { describeCall, describeCustomError, type KnownContract } from './knownContracts.ts'
import { knownErrors } from './signatures.ts'

const abi = parseAbi([
  'error TooLow(uint256 have, int8 want, string why)',
  'error List(uint256[] items)',
  'struct Pair { uint8[2] both; string name; }',
  'error Nested((address who, Pair[] pairs, bytes[] parts) all, int8[][2] rest)',
  'error Fixed(Pair pair, (bool yes, bytes3 tag)[2] two)',
  'function move(address to, bool isFast, bytes4 tag)',
])
const contract: KnownContract = { name: 'Bank', abi: [null, { type: 'error' }, ...abi] }
const contracts = { find: () => contract, all: () => [{ name: 'Other', abi: [] }, contract] }
const who = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('custom errors are reported by name, with their values', () => {
  const error = encodeErrorResult({ abi, errorName: 'TooLow', args: [11n, -2, 'poor'] })
  expect(describeCustomError(contracts, fromHex(error))).toBe('TooLow(11, -2, poor)')
  expect(describeCustomError(contracts, fromHex(error).subarray(0, 60))).toBe('TooLow(…)')
  const list = encodeErrorResult({ abi, errorName: 'List', args: [[1n, 2n]] })
  expect(describeCustomError(contracts, fromHex(list))).toBe('List([1, 2])')
  expect(describeCustomError(contracts, fromHex('0x01020304'))).toBeUndefined()
})

test('arrays and structs are reported with their values, in quotes where they are wanted', () => {
  const pair = { both: [1, 2], name: 'x' } as const
  const two = [
    { yes: true, tag: '0x010203' },
    { yes: false, tag: '0x000000' },
  ] as const
  const fixed = fromHex(encodeErrorResult({ abi, errorName: 'Fixed', args: [pair, two] }))
  expect(describeCustomError(contracts, fixed)).toBe(
    'Fixed([[1, 2], x], [[true, 0x010203], [false, 0x000000]])',
  )
  const all = { who, pairs: [pair, { both: [3, 4], name: '' }], parts: ['0xc0', '0x'] } as const
  const nested = fromHex(encodeErrorResult({ abi, errorName: 'Nested', args: [all, [[-1], []]] }))
  expect(describeCustomError(contracts, nested, 'quoted')).toBe(
    `Nested(["${who}", [[[1, 2], "x"], [[3, 4], ""]], ["0xc0", "0x"]], [[-1], []])`,
  )
  for (let length = 4; length < nested.length - 32; length += 7)
    expect(describeCustomError(contracts, nested.subarray(0, length))).toBe('Nested(…)')
})

test('values that would be long beyond measure are left out', () => {
  const list = fromHex(encodeErrorResult({ abi, errorName: 'List', args: [Array(5000).fill(1n)] }))
  expect(describeCustomError(contracts, list)).toBe('List(…)')
  // Each of the arrays is the same one again: 64 ^ 8 values in a few bytes.
  const type = `uint256${'[]'.repeat(8)}`
  const deep = parseAbi([`error Deep(${type} items)`] as const)
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const level = word(64) + word(64 * 32).repeat(64)
  const bomb = `${toFunctionSelector(`Deep(${type})`)}${word(32)}${level.repeat(8)}`
  const bombs = { find: () => undefined, all: () => [{ name: 'Deep', abi: deep }] }
  expect(describeCustomError(bombs, fromHex(bomb as `0x${string}`))).toBe('Deep(…)')
})

interface ErrorItem {
  readonly name: string
  readonly inputs: readonly { readonly type: string }[]
}

const selectorOf = ({ name, inputs }: ErrorItem): `0x${string}` =>
  toFunctionSelector(`${name}(${inputs.map(({ type }) => type).join(',')})`)

test('errors that many contracts have are decoded without an ABI', () => {
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

test('calls are decoded likewise', () => {
  const input = encodeFunctionData({ abi, functionName: 'move', args: [who, true, '0x01020304'] })
  expect(describeCall(contract, fromHex(input))).toBe(`move(${who}, true, 0x01020304)`)
  expect(describeCall(contract, fromHex('0x'))).toBeUndefined()
})

test('functions that many contracts have are decoded without an ABI', () => {
  const common = parseAbi([
    'function transfer(address to, uint256 amount)',
    'function aggregate3((address target, bool allowFailure, bytes callData)[] calls)',
  ])
  const transfer = encodeFunctionData({ abi: common, functionName: 'transfer', args: [who, 5n] })
  expect(describeCall(undefined, fromHex(transfer))).toBe(`transfer(${who}, 5)`)
  const most = encodeFunctionData({ abi: common, functionName: 'transfer', args: [who, 2n ** 256n - 1n] })
  expect(describeCall(undefined, fromHex(most))).toBe(`transfer(${who}, type(uint256).max)`)
  expect(describeCall({ name: 'Other', abi: [] }, fromHex(transfer))).toBeUndefined()
  const calls = encodeFunctionData({
    abi: common,
    functionName: 'aggregate3',
    args: [[{ target: who, allowFailure: true, callData: '0x01' }]],
  })
  expect(describeCall(undefined, fromHex(calls))).toBe(`aggregate3([[${who}, true, 0x01]])`)
})
