import { join } from 'node:path'
import { privateKeyToAddress } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { KeySource } from '../keySource.ts'
import { noSuchKeyError, refused } from '../keystoreError.ts'
import type { PassphraseThrottle } from '../passphraseThrottle.ts'
import type { KeyCipher } from './cipher.ts'
import { keyFileName, parseKeyFile, renderKeyFile } from './keyFile.ts'
import { type FolderEntry, KeyFolder } from './keyFolder.ts'

export interface KeyFilesDependencies {
  readonly cipher: KeyCipher
  readonly guesses: PassphraseThrottle
}

/** The encrypted keys in `<home>/keystore`, one file for each, as in geth. */
export class KeyFileStore implements KeySource {
  readonly #folder: KeyFolder
  readonly #cipher: KeyCipher
  readonly #guesses: PassphraseThrottle
  /** The addresses whose files are being written. */
  readonly #adding = new Set<string>()

  constructor(path: string, { cipher, guesses }: KeyFilesDependencies) {
    this.#folder = new KeyFolder(path)
    this.#cipher = cipher
    this.#guesses = guesses
  }

  list(): readonly Uint8Array[] {
    const byAddress = new Map<string, Uint8Array>()
    for (const { address } of this.#folder.entries())
      if (address !== undefined) byAddress.set(toHex(address), address)
    return [...byAddress.values()]
  }

  /** Returns every file with its path, including those whose address is unknown. */
  files(): readonly (FolderEntry & { readonly path: string })[] {
    return this.#folder.entries().map((entry) => ({ ...entry, path: join(this.#folder.path, entry.name) }))
  }

  async open(address: Uint8Array, passphrase: string): Promise<Uint8Array> {
    return this.#decrypt(this.#fileOf(address), address, passphrase)
  }

  /** Stores a key and returns its address. The caller keeps ownership of the key. */
  async add(key: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const address = privateKeyToAddress(key)
    const account = toHex(address)
    const exists = this.list().some((known) => equalBytes(known, address))
    if (exists || this.#adding.has(account)) throw refused('account already exists')
    this.#adding.add(account)
    try {
      const file = await this.#cipher.encrypt(key, passphrase)
      await this.#folder.write(keyFileName(address, new Date()), renderKeyFile(file))
    } finally {
      this.#adding.delete(account)
    }
    return address
  }

  /** Encrypts a key again in the same file, with another passphrase and the current parameters. */
  async update(address: Uint8Array, passphrase: string, newPassphrase: string): Promise<void> {
    const name = this.#fileOf(address)
    const key = await this.#decrypt(name, address, passphrase)
    try {
      await this.#folder.write(name, renderKeyFile(await this.#cipher.encrypt(key, newPassphrase)))
    } finally {
      key.fill(0)
    }
  }

  async #decrypt(name: string, address: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const file = { ...parseKeyFile(this.#folder.read(name)), address }
    return this.#cipher.decrypt(file, passphrase, this.#guesses.guard(toHex(address)))
  }

  #fileOf(address: Uint8Array): string {
    const found = this.#folder.entries().filter((entry) => {
      return entry.address !== undefined && equalBytes(entry.address, address)
    })
    const [first, ...others] = found.map(({ name }) => name)
    if (first === undefined) throw noSuchKeyError()
    if (others.length > 0) throw refused(`multiple keys match address (${[first, ...others].join(', ')})`)
    return first
  }
}
