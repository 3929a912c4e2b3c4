import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'

const domain = Buffer.from('perihelion:cosmos-transaction:')

/**
 * Returns the hash under which the Cosmos view shows a native transaction without an Ethereum one. Clients
 * store it, so it must never change.
 */
export const syntheticHash = (nativeHash: Uint8Array): Uint8Array =>
  keccak256(concatBytes(domain, nativeHash))
