import { concatBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'

const domain = Buffer.from('perihelion:cosmos-transaction:')

/** What a transaction that no Ethereum one is in is called where it is shown among them; it never changes. */
export const syntheticHash = (nativeHash: Uint8Array): Uint8Array =>
  keccak256(concatBytes(domain, nativeHash))
