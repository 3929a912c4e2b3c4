import { keccak256 } from '../../base/crypto.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { encodeInteger } from './encode.ts'

/** Where a contract is created by the sender's transaction (or CREATE) of this nonce. */
export const contractAddress = (sender: Uint8Array, nonce: bigint): Uint8Array =>
  keccak256(encodeRlp([sender, encodeInteger(nonce)])).slice(12)
