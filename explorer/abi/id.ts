import { type AbiItem, signatureOf } from '../../src/base/abi/item.ts'
import { keccak, utf8 } from '../format/hex.ts'
import type { Hex } from '../rpc/types.ts'

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
