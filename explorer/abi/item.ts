import { keccak, utf8 } from '../format/hex.ts'
import type { Hex } from '../rpc/types.ts'
import { type AbiParameter, typeName } from './type.ts'

/** A function, an event or an error of a contract. */
export interface AbiItem {
  readonly kind: 'function' | 'event' | 'error' | 'constructor'
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  readonly outputs: readonly AbiParameter[]
  readonly mutability: 'view' | 'nonpayable' | 'payable'
}

export const signatureOf = ({ name, inputs }: AbiItem): string =>
  `${name}(${inputs.map((input) => typeName(input.type)).join(',')})`

const ids = new WeakMap<AbiItem, Hex>()

/** The hash of the signature: the first topic of an event; functions and errors use its first four bytes. */
export const idOf = (item: AbiItem): Hex => {
  const known = ids.get(item)
  if (known !== undefined) return known
  const hash = keccak(utf8(signatureOf(item)))
  const id = item.kind === 'event' ? hash : (hash.slice(0, 10) as Hex)
  ids.set(item, id)
  return id
}

/** The item in one line, with names: `transfer(address to, uint256 amount)`. */
export const describeItem = ({ name, inputs }: AbiItem): string =>
  `${name}(${inputs.map((input) => `${typeName(input.type)} ${input.name}`.trim()).join(', ')})`
