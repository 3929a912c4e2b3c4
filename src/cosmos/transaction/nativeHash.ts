import { sha256 } from '../../base/crypto/crypto.ts'

/** Returns CometBFT's hash of a transaction. */
export const nativeHash = (bytes: Uint8Array): Uint8Array => sha256(bytes)
