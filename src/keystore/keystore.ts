import { randomBytes } from 'node:crypto'
import { secp256k1 } from '../base/crypto/crypto.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import type { Signature } from '../base/platform/signing.ts'
import type { Accounts } from './accounts.ts'
import type { Clock } from './clock.ts'
import type { KeyFileStore } from './keyFile/keyFileStore.ts'
import type { KeySource } from './keySource.ts'
import { noSuchKeyError, refused } from './keystoreError.ts'
import { UnlockedKeys } from './unlockedKeys.ts'

/** A wallet as clients see it: a key file with its account, or a wallet with its derived accounts. */
export interface WalletAccount {
  readonly address: Uint8Array
  readonly url: string
}

export interface WalletState {
  readonly url: string
  readonly status: string
  readonly accounts: readonly WalletAccount[]
}

/** A key that signs for one account until it is closed. It unlocks nothing else. */
export interface KeySigner {
  sign(hash: Uint8Array): Signature
  /** Overwrites the key. */
  close(): void
}

export interface KeystoreDependencies {
  readonly files: KeyFileStore
  /** The sources in the order in which their accounts are listed; `files` is one of them. */
  readonly sources: readonly KeySource[]
  readonly clock: Clock
}

/** All accounts that the node manages, with those that are unlocked. */
export class Keystore implements Accounts {
  readonly #files: KeyFileStore
  readonly #sources: readonly KeySource[]
  readonly #unlocked: UnlockedKeys
  #isClosed = false

  constructor({ files, sources, clock }: KeystoreDependencies) {
    this.#files = files
    this.#sources = sources
    this.#unlocked = new UnlockedKeys(clock)
  }

  list(): readonly Uint8Array[] {
    const byAccount = new Map<string, Uint8Array>()
    for (const address of this.#sources.flatMap((source) => source.list())) {
      const account = toHex(address)
      if (!byAccount.has(account)) byAccount.set(account, address)
    }
    // An account whose file was removed is not managed any more, even if it is unlocked.
    for (const account of this.#unlocked.accounts())
      if (!byAccount.has(account)) this.#unlocked.remove(account)
    return [...byAccount.values()]
  }

  has(address: Uint8Array): boolean {
    return this.#sourceOf(address) !== undefined
  }

  isUnlocked(address: Uint8Array): boolean {
    return this.#unlocked.get(toHex(address)) !== undefined
  }

  sign(address: Uint8Array, hash: Uint8Array): Signature | undefined {
    const account = toHex(address)
    const key = this.#unlocked.get(account)
    if (key === undefined) return undefined
    if (this.has(address)) return secp256k1.sign(hash, key)
    this.#unlocked.remove(account)
    return undefined
  }

  /** Returns the key files, each as a wallet with one account. */
  fileStates(): readonly WalletState[] {
    return this.#files.files().flatMap(({ path, address }) => {
      if (address === undefined) return []
      const url = `keystore://${path}`
      const status = this.isUnlocked(address) ? 'Unlocked' : 'Locked'
      return [{ url, status, accounts: [{ address, url }] }]
    })
  }

  /** Creates a key and stores it. */
  async create(passphrase: string): Promise<Uint8Array> {
    const key = generatePrivateKey()
    try {
      return await this.#files.add(key, passphrase)
    } finally {
      key.fill(0)
    }
  }

  /** Stores a key and overwrites it in memory. */
  async importKey(key: Uint8Array, passphrase: string): Promise<Uint8Array> {
    try {
      if (!secp256k1.isPrivateKey(key)) throw refused('invalid private key')
      return await this.#files.add(key, passphrase)
    } finally {
      key.fill(0)
    }
  }

  /** Unlocks an account for `seconds`; 0 means until the process exits. */
  async unlock(
    address: Uint8Array,
    passphrase: string,
    seconds: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const key = await this.#open(address, passphrase)
    // For a caller that does not wait any more the unlocking failed, so that the account stays locked.
    if (signal?.aborted) key.fill(0)
    else this.unlockWithKey(address, key, seconds)
  }

  /** Unlocks an account with a key that is decrypted already, and takes ownership of the key. */
  unlockWithKey(address: Uint8Array, key: Uint8Array, seconds: number): void {
    // A key whose derivation ended after the keystore was closed must not stay in memory.
    if (this.#isClosed) key.fill(0)
    else this.#unlocked.add(toHex(address), key, seconds)
  }

  lock(address: Uint8Array): void {
    this.#unlocked.remove(toHex(address))
  }

  /** Opens a key for one signature; the account stays locked for all other calls. */
  async open(address: Uint8Array, passphrase: string): Promise<KeySigner> {
    const key = await this.#open(address, passphrase)
    let isOpen = true
    return {
      sign: (hash) => {
        if (!isOpen) throw new Error('the key is closed')
        return secp256k1.sign(hash, key)
      },
      close: () => {
        isOpen = false
        key.fill(0)
      },
    }
  }

  /** Locks every account. */
  close(): void {
    this.#isClosed = true
    this.#unlocked.close()
  }

  #sourceOf(address: Uint8Array): KeySource | undefined {
    return this.#sources.find((source) => source.list().some((listed) => equalBytes(listed, address)))
  }

  async #open(address: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const source = this.#sourceOf(address)
    if (source === undefined) throw noSuchKeyError()
    return source.open(address, passphrase)
  }
}

/** Returns a random private key. Only one in 2^128 random values is invalid. */
export const generatePrivateKey = (): Uint8Array => {
  for (;;) {
    const key = new Uint8Array(randomBytes(32))
    if (secp256k1.isPrivateKey(key)) return key
  }
}
