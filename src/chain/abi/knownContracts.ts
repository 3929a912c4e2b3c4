import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { type AbiInput, type AbiTextStyle, abiValuesAsText } from './abiText.ts'
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
  readonly inputs: readonly AbiInput[]
}

/**
 * Returns the data of a revert with a custom error as text, such as `BalanceTooLow(11, 12)`: an error of a contract that a
 * client described, or one that many contracts have; undefined if it is neither.
 */
export const describeCustomError = (
  contracts: KnownContracts | undefined,
  data: Uint8Array,
  style: AbiTextStyle = 'plain',
): string | undefined => {
  for (const { abi } of contracts?.all() ?? []) {
    const text = describeBy('error', abi, data, style)
    if (text !== undefined) return text
  }
  return describeBy('error', commonItems('error'), data, style)
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
  return { type, name, inputs: readTypes(types) }
}

/** Reads types such as `address,(bool,bytes)[]`. */
const readTypes = (text: string): readonly AbiInput[] => {
  const types: string[] = []
  let depth = 0
  for (const part of text === '' ? [] : text.split(',')) {
    if (depth === 0) types.push(part)
    else types.push(`${types.pop()},${part}`)
    depth += part.split('(').length - part.split(')').length
  }
  return types.map((type) => {
    const end = type.lastIndexOf(')')
    if (end < 0) return { type }
    return { type: `tuple${type.slice(end + 1)}`, components: readTypes(type.slice(1, end)) }
  })
}

/**
 * Returns a call as text, such as `transfer(0x…, 5)`: by the ABI of its contract, or as a function that many contracts have;
 * undefined if it is neither.
 */
export const describeCall = (contract: KnownContract | undefined, input: Uint8Array): string | undefined =>
  describeBy('function', contract?.abi ?? commonItems('function'), input, 'plain')

const describeBy = (
  type: 'error' | 'function',
  abi: readonly unknown[],
  data: Uint8Array,
  style: AbiTextStyle,
): string | undefined => {
  const item = selectorsOf(type, abi).get(toHex(data.subarray(0, 4)))
  if (item === undefined) return undefined
  const values = abiValuesAsText(item.inputs, data.subarray(4), style)
  const shown =
    style === 'plain' ? values?.map((value, at) => shortValue(value, item.inputs[at]?.type)) : values
  return `${item.name}(${shown?.join(', ') ?? '…'})`
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
      made.set(selectorOf(item.name, item.inputs.map(canonicalType)), item)
  known[type].set(abi, made)
  return made
}

/** Returns the selector of a function or an error as DATA. */
export const selectorOf = (name: string, types: readonly string[]): string =>
  toHex(keccak256(Buffer.from(`${name}(${types.join(',')})`)).subarray(0, 4))

/** Returns the type of a parameter as signatures have it: a struct is the list of its members. */
const canonicalType = ({ type, components }: AbiInput): string =>
  components === undefined || !type.startsWith('tuple')
    ? type
    : `(${components.map(canonicalType).join(',')})${type.slice('tuple'.length)}`

/** Checks an item of an ABI, which a client sent. */
const isItem = (item: unknown): item is AbiItem => {
  const { type, name, inputs } = (item ?? {}) as Partial<AbiItem>
  return (
    typeof type === 'string' && typeof name === 'string' && Array.isArray(inputs) && inputs.every(isInput)
  )
}

const isInput = (input: unknown): input is AbiInput => {
  const { type, components } = (input ?? {}) as Partial<AbiInput>
  if (typeof type !== 'string') return false
  return components === undefined || (Array.isArray(components) && components.every(isInput))
}
