import { expect, test } from 'vitest'
import { RpcError } from '../../rpc/errors.ts'
import { createAnvilDialect } from './anvilDialect.ts'

const { toError, toResult } = createAnvilDialect(() => {})
const worded = (code: number, message: string, data?: string) => {
  const { code: theirs, message: text } = toError?.(new RpcError(code, message, data)) ?? {}
  return [theirs, text]
}
const word = (value: number): string => value.toString(16).padStart(64, '0')

// What anvil 1.7.1 answered.
test.each([
  ['0x', 'execution reverted'],
  [
    `0x08c379a0${word(32)}${word(2)}${Buffer.from('no').toString('hex').padEnd(64, '0')}`,
    'execution reverted: no',
  ],
  [`0x4e487b71${word(0x01)}`, 'execution reverted: panic: assertion failed (0x01)'],
  [`0x4e487b71${word(0x31)}`, 'execution reverted: panic: called `.pop()` on an empty array (0x31)'],
  [`0x4e487b71${word(0x99)}`, 'execution reverted: panic: unknown code (0x99)'],
  ['0x7e4b4593', 'execution reverted: custom error 0x7e4b4593'],
  [`0x7e4b4593${'ff'.repeat(32)}`, `execution reverted: custom error 0x7e4b4593: ${'f'.repeat(64)}`],
  ['0x68656c6c6f20776f726c64', 'execution reverted: hello world'],
  ['0xffffff', 'execution reverted: custom error bytes 0xffffff'],
])('a revert with %s', (data, message) => {
  expect(worded(3, 'execution reverted', data)).toEqual([3, message])
})

test('what would control a terminal is written as hex, which anvil does not do', () => {
  expect(worded(3, 'execution reverted', `0x7e4b4593${word(5)}`)).toEqual([
    3,
    `execution reverted: custom error 0x7e4b4593: ${word(5)}`,
  ])
})

test.each([
  ['invalid opcode: INVALID', -32603, 'EVM error InvalidFEOpcode'],
  ['invalid opcode: opcode 0xc not defined', -32603, 'EVM error OpcodeNotFound'],
  ['stack underflow (0 <=> 1)', -32603, 'EVM error StackUnderflow'],
  ['stack limit reached 1024 (1023)', -32603, 'EVM error StackOverflow'],
  ['gas required exceeds allowance (100000)', -32003, 'Out of gas: gas required exceeds allowance: 100000'],
  [
    'err: insufficient funds for gas * price + value: address 0xC0 have 0 want 1 (supplied gas 50000000)',
    -32003,
    'Insufficient funds for gas * price + value',
  ],
  [
    "chainId does not match node's (have=5, want=31337)",
    -32602,
    "transaction-provided chain ID (5) does not match the signer's chain ID (31337)",
  ],
  ['max initcode size exceeded: code size 50000 limit 49152', -32003, 'max initcode size exceeded'],
  ['header not found', -32000, 'header not found'],
])('%s', (ours, code, message) => {
  expect(worded(-32000, ours)).toEqual([code, message])
})

test('a method that is not there', () => {
  expect(worded(-32601, 'the method "foo_bar" does not exist')).toEqual([-32601, 'Method not found'])
})

test('a signed transaction is its bytes alone', () => {
  expect(toResult?.('eth_signTransaction', '{"raw":"0x02","tx":{}}')).toBe('"0x02"')
  expect(toResult?.('eth_chainId', '"0x1"')).toBe('"0x1"')
})
