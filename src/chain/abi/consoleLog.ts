import { format } from 'node:util'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { abiValuesAsText } from './abiText.ts'

/** The address without code that contracts call to write a line, by the library `console.sol` of Hardhat and Foundry. */
export const consoleAddress: Uint8Array = fromHex('0x000000000000000000636f6e736f6c652e6c6f67')

/** The types that `log` takes in any combination of up to four. */
const mixedTypes = ['uint256', 'int256', 'string', 'bool', 'address'] as const
const maxParams = 4

/** Earlier versions of the library called integers by names that the ABI does not have. */
const oldNames: Readonly<Record<string, string>> = { uint256: 'uint', int256: 'int' }

let knownTypes: ReadonlyMap<string, readonly string[]> | undefined

/** Returns the parameter types by selector. They are worked out when the first contract logs. */
const typesBySelector = (): ReadonlyMap<string, readonly string[]> => {
  if (knownTypes !== undefined) return knownTypes
  const found = new Map<string, readonly string[]>()
  const add = (types: readonly string[]): void => {
    for (const names of [types, types.map((type) => oldNames[type] ?? type)])
      found.set(toHex(keccak256(Buffer.from(`log(${names.join(',')})`)).subarray(0, 4)), types)
  }
  let combinations: readonly (readonly string[])[] = [[]]
  add([])
  for (let count = 1; count <= maxParams; count++) {
    combinations = combinations.flatMap((types) => mixedTypes.map((type) => [...types, type]))
    for (const types of combinations) add(types)
  }
  add(['bytes'])
  for (let size = 1; size <= 32; size++) add([`bytes${size}`])
  knownTypes = found
  return found
}

/** Returns the line that a call of the console writes; undefined if the library makes no such call. */
export const decodeConsoleLog = (input: Uint8Array): string | undefined => {
  const types = typesBySelector().get(toHex(input.subarray(0, 4)))
  if (types === undefined) return undefined
  const values = abiValuesAsText(
    types.map((type) => ({ type })),
    input.subarray(4),
  )
  return values && formatValues(values, types)
}

/** Formats as the console of Hardhat: a text at the beginning may have places for the values after it. */
const formatValues = (values: readonly string[], types: readonly string[]): string => {
  const [first = '', ...rest] = values
  if (types[0] !== 'string' || rest.length === 0) return values.join(' ')
  // The values are texts already: integers are larger than numbers can be.
  return format(
    first.replaceAll(/%(?:%|[di])/g, (place) => (place === '%%' ? '%%' : '%s')),
    ...rest,
  )
}
