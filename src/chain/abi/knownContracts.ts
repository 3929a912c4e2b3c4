import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { abiValuesAsText } from './abiText.ts'
import { knownErrors } from './signatures.ts'

/** A contract as its compiler described it. */
export interface KnownContract {
  readonly name: string
  /** The ABI as the compiler gave it, a list of its functions, events and errors. */
  readonly abi: readonly unknown[]
}

/** The contracts that clients described (`hardhat_addCompilationResult`), with which people read what happened. */
export interface KnownContracts {
  /** Returns the contract whose deployed code this is. */
  find(code: Uint8Array): KnownContract | undefined
  /** Returns all contracts, the newest first. */
  all(): readonly KnownContract[]
}

interface AbiItem {
  readonly type: string
  readonly name: string
  readonly inputs: readonly { readonly type: string }[]
}

/**
 * Returns the data of a revert with a custom error as text, such as `BalanceTooLow(11, 12)`: an error of a contract that a
 * client described, or one that many contracts have; undefined if it is neither.
 */
export const describeCustomError = (
  contracts: KnownContracts | undefined,
  data: Uint8Array,
): string | undefined => {
  for (const { abi } of contracts?.all() ?? []) {
    const text = describeBy('error', abi, data)
    if (text !== undefined) return text
  }
  commonErrors ??= knownErrors.trim().split('\n').map(readError)
  return describeBy('error', commonErrors, data)
}

/** Those of the table, taken apart when the first contract fails with an error that nobody described. */
let commonErrors: readonly AbiItem[] | undefined

/** Reads a line such as `ERC20InvalidSender(address sender)`. */
const readError = (line: string): AbiItem => {
  const [name = '', list = ''] = line.split(/[()]/)
  const inputs = list.split(',').filter((input) => input !== '')
  return { type: 'error', name, inputs: inputs.map((input) => ({ type: input.split(' ', 1)[0] ?? '' })) }
}

/** Returns a call of a known contract as text, such as `transfer(0x…, 5)`; undefined if its ABI has no such function. */
export const describeCall = ({ abi }: KnownContract, input: Uint8Array): string | undefined =>
  describeBy('function', abi, input)

const describeBy = (
  type: 'error' | 'function',
  abi: readonly unknown[],
  data: Uint8Array,
): string | undefined => {
  const item = selectorsOf(type, abi).get(toHex(data.subarray(0, 4)))
  if (item === undefined) return undefined
  const values = abiValuesAsText(
    item.inputs.map((input) => input.type),
    data.subarray(4),
  )
  return `${item.name}(${values?.join(', ') ?? '…'})`
}

/** The items of the ABIs that were looked at, by their selectors. */
const known = {
  error: new WeakMap<readonly unknown[], ReadonlyMap<string, AbiItem>>(),
  function: new WeakMap<readonly unknown[], ReadonlyMap<string, AbiItem>>(),
}

const selectorsOf = (type: 'error' | 'function', abi: readonly unknown[]): ReadonlyMap<string, AbiItem> => {
  const found = known[type].get(abi)
  if (found !== undefined) return found
  const made = new Map<string, AbiItem>()
  for (const item of abi)
    if (isItem(item) && item.type === type)
      made.set(
        selectorOf(
          item.name,
          item.inputs.map((input) => input.type),
        ),
        item,
      )
  known[type].set(abi, made)
  return made
}

/** Returns the selector of a function or an error as DATA. */
export const selectorOf = (name: string, types: readonly string[]): string =>
  toHex(keccak256(Buffer.from(`${name}(${types.join(',')})`)).subarray(0, 4))

/** Checks an item of an ABI, which a client sent. Tuples are not decoded, and so not known. */
const isItem = (item: unknown): item is AbiItem => {
  const { type, name, inputs } = (item ?? {}) as Partial<AbiItem>
  return (
    typeof type === 'string' &&
    typeof name === 'string' &&
    Array.isArray(inputs) &&
    inputs.every((input: unknown) => typeof (input as { type?: unknown } | null)?.type === 'string')
  )
}
