import { keccak256 } from '../../base/crypto/crypto.ts'
import type { Log } from './receiptLog.ts'

/** The filter of 2048 bits over addresses and topics (yellow paper, 4.3.1): three bits for each. */

export const bloomLength = 256

const add = (bloom: Uint8Array, entry: Uint8Array): void => {
  const hash = keccak256(entry)
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = (((hash[pair] as number) << 8) | (hash[pair + 1] as number)) & 2047
    const at = bloomLength - 1 - (bit >> 3)
    bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
  }
}

/** The filter of nothing, which all receipts without logs share. */
const emptyBloom = new Uint8Array(bloomLength)

export const createBloom = (logs: readonly Log[]): Uint8Array => {
  if (logs.length === 0) return emptyBloom
  const bloom = new Uint8Array(bloomLength)
  for (const { address, topics } of logs) {
    add(bloom, address)
    for (const topic of topics) add(bloom, topic)
  }
  return bloom
}

/** Returns the bloom of a block from those of its receipts. */
export const mergeBlooms = (blooms: readonly Uint8Array[]): Uint8Array => {
  const merged = new Uint8Array(bloomLength)
  for (const bloom of blooms)
    if (bloom !== emptyBloom)
      for (let at = 0; at < bloomLength; at++) merged[at] = (merged[at] as number) | (bloom[at] as number)
  return merged
}

/** Returns false if no log has this address or topic, and true if one may have it. */
export const bloomMayContain = (bloom: Uint8Array, entry: Uint8Array): boolean => {
  const wanted = new Uint8Array(bloomLength)
  add(wanted, entry)
  return wanted.every((bits, at) => (bits & (bloom[at] as number)) === bits)
}
