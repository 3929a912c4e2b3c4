import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { abiValuesAsText } from './abiText.ts'
import { knownErrors, knownFunctions } from './signatures.ts'

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
  return describeBy('error', commonItems('error'), data)
}

/** Those of the table, taken apart when the first of them is looked for. */
const common: { error?: readonly AbiItem[]; function?: readonly AbiItem[] } = {}

const commonItems = (type: 'error' | 'function'): readonly AbiItem[] => {
  common[type] ??= (type === 'error' ? knownErrors : knownFunctions)
    .trim()
    .split('\n')
    .map((line) => readLine(type, line))
  return common[type]
}

/** Reads a line such as `ERC20InvalidSender(address sender)`. */
const readLine = (type: string, line: string): AbiItem => {
  const [signature = ''] = line.split(/ [!→]/, 1)
  const name = signature.slice(0, signature.indexOf('('))
  const types = signature.slice(name.length + 1, -1).replace(/ \w+(?=[,)]|$)/g, '')
  // A list with structs is not decoded, and counts as one.
  const inputs = types.includes('(') ? [types] : types.split(',').filter((input) => input !== '')
  return { type, name, inputs: inputs.map((input) => ({ type: input })) }
}

/**
 * Returns a call as text, such as `transfer(0x…, 5)`: by the ABI of its contract, or as a function that many contracts have;
 * undefined if it is neither.
 */
export const describeCall = (contract: KnownContract | undefined, input: Uint8Array): string | undefined =>
  describeBy('function', contract?.abi ?? commonItems('function'), input)

const describeBy = (
  type: 'error' | 'function',
  abi: readonly unknown[],
  data: Uint8Array,
): string | undefined => {
  const item = selectorsOf(type, abi).get(toHex(data.subarray(0, 4)))
  if (item === undefined) return undefined
  const types = item.inputs.map((input) => input.type)
  const values = abiValuesAsText(types, data.subarray(4))
  return `${item.name}(${values?.map((value, at) => shortValue(value, types[at])).join(', ') ?? '…'})`
}

const maxUint256 = String(2n ** 256n - 1n)

/** Returns an approval without a limit as people write it. */
const shortValue = (value: string, type: string | undefined): string =>
  type === 'uint256' && value === maxUint256 ? 'type(uint256).max' : value

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
