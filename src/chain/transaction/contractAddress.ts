import { keccak256 } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { encodeInteger } from './encode.ts'

/** Returns the address of the contract that the sender's transaction (or CREATE) of this nonce creates. */
export const contractAddress = (sender: Uint8Array, nonce: bigint): Uint8Array =>
  keccak256(encodeRlp([sender, encodeInteger(nonce)])).slice(12)
