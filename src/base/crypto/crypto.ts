import { keccak256 } from '#platform/keccak'
import { secp256k1 } from '#platform/secp256k1'
import { sha256 } from '#platform/sha256'
import { curveOrder, type Signature } from '../platform/signing.ts'

/**
 * The one seam for hashing and signatures. In Node.js keccak runs in WebAssembly, and secp256k1 is the native addon where it
 * loads (25 times noble's recovery) and noble where it does not. A bundle for browsers has noble for all of it.
 */
export { curveOrder, keccak256, secp256k1, sha256 }

/** Returns the last 20 bytes of the hash of the key. */
const publicKeyToAddress = (publicKey: Uint8Array): Uint8Array => keccak256(publicKey).subarray(12)

export const privateKeyToAddress = (privateKey: Uint8Array): Uint8Array =>
  publicKeyToAddress(secp256k1.publicKey(privateKey))

/** Returns the address that signed the hash; undefined if the signature is invalid. */
export const recoverAddress = (hash: Uint8Array, signature: Signature): Uint8Array | undefined => {
  const publicKey = secp256k1.recover(hash, signature)
  return publicKey && publicKeyToAddress(publicKey)
}
