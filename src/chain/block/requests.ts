import { sha256 } from '../../base/crypto.ts'

/**
 * Returns the header's commitment to a block's requests (EIP-7685). Each request is a type byte and its data,
 * in the order of the types; one without data does not count.
 */
export const requestsHash = (requests: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(sha256(...requests.filter(({ length }) => length > 1).map((request) => sha256(request))))
