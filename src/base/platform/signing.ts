import type { MaybePromise } from '../async/maybePromise.ts'

/** The order of secp256k1. */
export const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** A signature without its message: 64 bytes r‖s and the recovery bit. */
export interface Signature {
  readonly compact: Uint8Array
  readonly recovery: number
}

export interface Secp256k1 {
  /** Returns the uncompressed public key without its 0x04 prefix (64 bytes); undefined if the signature is invalid. */
  recover(hash: Uint8Array, signature: Signature): Uint8Array | undefined
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature
  publicKey(privateKey: Uint8Array): Uint8Array
  /** Verifies a signature r‖s by a compressed public key. A signature with the higher s is rejected. */
  verify(hash: Uint8Array, compact: Uint8Array, publicKey: Uint8Array): boolean
  isPrivateKey(privateKey: Uint8Array): boolean
}

/** Returns whether a signature of 64 bytes is that of a key: at once in Node.js, later in browsers. */
export type SignatureCheck = (message: Uint8Array, signature: Uint8Array) => MaybePromise<boolean>
