import { HARDENED_OFFSET } from '@scure/bip32'
import { privateKeyToAddress } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { KeyedQueue } from '../../base/threads/keyedQueue.ts'
import type { KeyCipher } from '../keyFile/cipher.ts'
import { parseKeyFile } from '../keyFile/keyFile.ts'
import type { KeySource } from '../keySource.ts'
import { generatePrivateKey, type WalletAccount, type WalletState } from '../keystore.ts'
import { KeystoreError, noSuchKeyError, refused, tooManyKeys } from '../keystoreError.ts'
import type { PassphraseThrottle } from '../passphraseThrottle.ts'
import { deriveKey, takePrivateKey } from './hdKey.ts'
import { type StoredWallet, WalletFiles } from './walletFiles.ts'

/** The longest path, more than any wallet uses. */
const maxDepth = 10

const isIndex = (step: string): boolean => Number(step.replace(/'$/, '')) < HARDENED_OFFSET

/** Throws unless the path is a BIP-32 derivation path such as m/44'/60'/0'/0/0. */
const checkDerivationPath = (path: string): void => {
  const steps = path.split('/').slice(1)
  const isPath = /^m(?:\/\d{1,10}'?)+$/.test(path) && steps.length <= maxDepth && steps.every(isIndex)
  if (isPath) return
  throw new KeystoreError('invalid', "the path must be a derivation path such as m/44'/60'/0'/0/0")
}

/** Derives the key at a path from the key of a wallet, which is the seed. The caller must overwrite it. */
const deriveChild = (seed: Uint8Array, path: string): Uint8Array => {
  checkDerivationPath(path)
  return takePrivateKey(deriveKey(seed, path))
}

const scheme = 'keystore://'
const maxWaiting = 16

/**
 * Returns the name in `keystore://<name>`. It is also a file name, so that nothing that could leave the folder is
 * allowed.
 */
const parseWalletUrl = (url: string): string => {
  const name = url.startsWith(scheme) ? url.slice(scheme.length) : ''
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return name
  throw new KeystoreError(
    'invalid',
    'the URL must be keystore://<name>, the name 1 to 64 letters, digits, - or _',
  )
}

const toWalletUrl = (name: string): string => `${scheme}${name}`

/**
 * Software wallets, each with one key and the accounts derived from it. The key of a new wallet is only in memory until
 * it is opened for the first time: that password pairs it with the node and encrypts the key on disk. The accounts of a
 * paired wallet belong to the node; unpairing keeps its file and removes the rest.
 */
export class WalletManager implements KeySource {
  readonly #files: WalletFiles
  readonly #cipher: KeyCipher
  readonly #guesses: PassphraseThrottle
  /** One queue for all wallets, because a change of one may affect another. */
  readonly #queue = new KeyedQueue({
    name: 'turn to change a wallet',
    limit: { maxWaiting, error: tooManyKeys },
  })
  /** The keys of wallets that were created and not opened yet. */
  readonly #new = new Map<string, Uint8Array>()
  readonly #open = new Map<string, Uint8Array>()

  constructor(
    folder: string,
    { cipher, guesses }: { readonly cipher: KeyCipher; readonly guesses: PassphraseThrottle },
  ) {
    this.#files = new WalletFiles(folder)
    this.#cipher = cipher
    this.#guesses = guesses
  }

  list(): readonly Uint8Array[] {
    return this.#paired().flatMap(({ address, derived }) => [address, ...derived.map((one) => one.address)])
  }

  async open(address: Uint8Array, passphrase: string): Promise<Uint8Array> {
    const matchesAddress = (one: { readonly address: Uint8Array }): boolean =>
      equalBytes(one.address, address)
    const wallet = this.#paired().find((one) => matchesAddress(one) || one.derived.some(matchesAddress))
    if (wallet === undefined) throw noSuchKeyError()
    const seed = await this.#decrypt(wallet, passphrase)
    const path = wallet.derived.find(matchesAddress)?.path
    if (path === undefined) return seed
    try {
      return deriveChild(seed, path)
    } finally {
      seed.fill(0)
    }
  }

  /** Returns a copy of the new key for the caller. */
  initialize(url: string): Uint8Array {
    const name = parseWalletUrl(url)
    if (this.#new.has(name) || this.#files.find(name) !== undefined)
      throw refused('the wallet is initialized already')
    const key = generatePrivateKey()
    this.#new.set(name, key)
    return Uint8Array.from(key)
  }

  async openWallet(url: string, password: string): Promise<void> {
    const name = parseWalletUrl(url)
    return this.#queue.run('wallets', async () => {
      if (this.#open.has(name)) throw refused('wallet already open')
      const fresh = this.#new.get(name)
      if (fresh !== undefined) {
        await this.#files.create(name, await this.#cipher.encrypt(fresh, password))
        this.#new.delete(name)
        this.#open.set(name, fresh)
        return
      }
      const wallet = this.#find(name)
      const key = await this.#decrypt(wallet, password)
      await this.#files.setPaired(wallet, true)
      this.#open.set(name, key)
    })
  }

  async unpair(url: string, password: string): Promise<void> {
    const name = parseWalletUrl(url)
    return this.#queue.run('wallets', async () => {
      if (this.#new.has(name)) throw refused('the wallet is not paired')
      const wallet = this.#find(name)
      if (!wallet.isPaired) throw refused('the wallet is not paired')
      const key = await this.#decrypt(wallet, password)
      key.fill(0)
      await this.#files.setPaired(wallet, false)
      this.#open.get(name)?.fill(0)
      this.#open.delete(name)
    })
  }

  /** Derives an account. With `keep` it becomes one of the node's accounts. */
  async derive(url: string, path: string, keep: boolean): Promise<WalletAccount> {
    const name = parseWalletUrl(url)
    return this.#queue.run('wallets', async () => {
      const seed = this.#open.get(name)
      if (seed === undefined)
        throw refused(this.#new.has(name) ? 'wallet closed' : closedOrUnknown(this.#find(name)))
      const key = deriveChild(seed, path)
      const address = privateKeyToAddress(key)
      key.fill(0)
      const wallet = this.#find(name)
      const isKept = wallet.derived.some((one) => one.path === path)
      if (keep && !isKept) await this.#files.keepAccount(wallet, { path, address })
      return { address, url: `${toWalletUrl(name)}/${path}` }
    })
  }

  states(): readonly WalletState[] {
    const fresh = [...this.#new].map(([name, key]) => {
      const url = toWalletUrl(name)
      return {
        url,
        status: 'Initialized, not paired',
        accounts: [{ address: privateKeyToAddress(key), url }],
      }
    })
    return [...fresh, ...this.#files.list().map((wallet) => this.#stateOf(wallet))]
  }

  close(): void {
    for (const keys of [this.#new, this.#open]) {
      for (const key of keys.values()) key.fill(0)
      keys.clear()
    }
  }

  #stateOf({ name, isPaired, address, derived }: StoredWallet): WalletState {
    const url = toWalletUrl(name)
    const closed = isPaired ? 'Closed' : 'Unpaired'
    return {
      url,
      status: this.#open.has(name) ? 'Open' : closed,
      accounts: [
        { address, url },
        ...derived.map((one) => ({ address: one.address, url: `${url}/${one.path}` })),
      ],
    }
  }

  #paired(): readonly StoredWallet[] {
    return this.#files.list().filter(({ isPaired }) => isPaired)
  }

  #find(name: string): StoredWallet {
    const wallet = this.#files.find(name)
    if (wallet === undefined) throw refused('unknown wallet')
    return wallet
  }

  #decrypt({ text, address }: StoredWallet, password: string): Promise<Uint8Array> {
    return this.#cipher.decrypt(parseKeyFile(text), password, this.#guesses.guard(toHex(address)))
  }
}

const closedOrUnknown = ({ isPaired }: StoredWallet): string =>
  isPaired ? 'wallet closed' : 'the wallet is not paired'
