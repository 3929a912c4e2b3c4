import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'

/** Returns the hash that `eth_sign` and `personal_sign` sign (EIP-191, version 0x45). */
export const signedMessageHash = (message: Uint8Array): Uint8Array =>
  keccak256(concatBytes(Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message))
