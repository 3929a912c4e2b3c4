import { sha256 } from '../../base/crypto/crypto.ts'

/**
 * Returns the header's commitment to a block's requests (EIP-7685). Each request is a type byte and its data,
 * in the order of the types; one without data does not count.
 */
export const requestsHash = (requests: readonly Uint8Array[]): Uint8Array => {
  const counted = requests.filter(({ length }) => length > 1)
  if (counted.length === 0) return noRequestsHash.slice()
  return new Uint8Array(sha256(...counted.map((request) => sha256(request))))
}

/** The commitment of most blocks. */
const noRequestsHash = new Uint8Array(sha256())
