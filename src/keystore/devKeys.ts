import { toHex } from '../base/encoding/hex.ts'
import type { KeySource } from './keySource.ts'
import { noSuchKeyError, wrongPassphraseError } from './keystoreError.ts'
import type { PassphraseThrottle } from './passphraseThrottle.ts'
import { keyToAddress } from './wallets/knownKeys.ts'

/** The accounts of the dev profile: keys from the configuration, with the empty passphrase. */
export class DevKeys implements KeySource {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #addresses: readonly Uint8Array[]
  readonly #guesses: PassphraseThrottle

  constructor(keys: readonly Uint8Array[], { guesses }: { readonly guesses: PassphraseThrottle }) {
    this.#addresses = keys.map(keyToAddress)
    this.#keys = new Map(keys.map((key, index) => [toHex(this.#addresses[index] as Uint8Array), key]))
    this.#guesses = guesses
  }

  list(): readonly Uint8Array[] {
    return this.#addresses
  }

  async open(address: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const key = this.#keys.get(toHex(address))
    if (key === undefined) throw noSuchKeyError()
    const watch = this.#guesses.guard(toHex(address))
    watch.before()
    if (passphrase !== '') {
      watch.wrong()
      throw wrongPassphraseError()
    }
    watch.right()
    return Uint8Array.from(key)
  }

  /** Returns copies of all keys, for accounts that are unlocked from the start. */
  entries(): readonly (readonly [address: Uint8Array, key: Uint8Array])[] {
    return this.#addresses.map((address) => {
      return [address, Uint8Array.from(this.#keys.get(toHex(address)) as Uint8Array)] // one for each address
    })
  }
}
