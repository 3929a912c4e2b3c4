import { publicKeyToAddress, type Signature, secp256k1 } from '../base/crypto.ts'
import { toHex } from '../base/hex.ts'

/** The accounts that the node manages, and those of them that it can sign for now. */
export interface Accounts {
  /** 20 bytes each, in a stable order. */
  list(): readonly Uint8Array[]
  /** Undefined: the account is locked, or not ours. */
  sign(address: Uint8Array, hash: Uint8Array): Signature | undefined
  has(address: Uint8Array): boolean
}

/** Accounts whose keys are in memory from the start to the end: the dev profile's. */
export class OpenAccounts implements Accounts {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #addresses: readonly Uint8Array[]

  constructor(keys: readonly Uint8Array[]) {
    this.#addresses = keys.map((key) => publicKeyToAddress(secp256k1.publicKey(key)))
    this.#keys = new Map(keys.map((key, index) => [toHex(this.#addresses[index] as Uint8Array), key]))
  }

  list(): readonly Uint8Array[] {
    return this.#addresses
  }

  has(address: Uint8Array): boolean {
    return this.#keys.has(toHex(address))
  }

  sign(address: Uint8Array, hash: Uint8Array): Signature | undefined {
    const key = this.#keys.get(toHex(address))
    return key === undefined ? undefined : secp256k1.sign(hash, key)
  }
}
