import { createHash } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/**
 * EIP-7685: the header's commitment to a block's requests, each a type byte and its data, in order of their types.
 * One without data does not count.
 */
export const requestsHash = (requests: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(sha256(...requests.filter(({ length }) => length > 1).map((request) => sha256(request))))
