import { sha256 } from '../../base/crypto.ts'

/**
 * EIP-7685: the header's commitment to a block's requests, each a type byte and its data, in order of their types.
 * One without data does not count.
 */
export const requestsHash = (requests: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(sha256(...requests.filter(({ length }) => length > 1).map((request) => sha256(request))))
