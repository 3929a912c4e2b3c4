import { readdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { toHex } from '../../base/encoding/hex.ts'
import { syncFolder } from '../../base/files/atomicFile.ts'
import { parseHexBytes } from '../keyFile/kdf.ts'
import { maxKeyFileBytes, type NewKeyFile, parseKeyFile, toKeyFileJson } from '../keyFile/keyFile.ts'
import { badKeyFileError, KeystoreError } from '../keystoreError.ts'
import { checkFolder, readPrivateFile, writePrivateFile } from '../privateFiles.ts'

/** An account that is derived from the key of a wallet. */
export interface DerivedAccount {
  readonly path: string
  readonly address: Uint8Array
}

/** A wallet on disk: a key file and the derived accounts that are kept. */
export interface StoredWallet {
  readonly name: string
  readonly isPaired: boolean
  readonly address: Uint8Array
  readonly derived: readonly DerivedAccount[]
  readonly text: string
}

/** The extensions of paired and unpaired wallets. Names hold no dot, so that the two cannot be confused. */
const pairedExtension = '.json'
const unpairedExtension = '.unpaired.json'

const fileName = (name: string, isPaired: boolean): string =>
  `${name}${isPaired ? pairedExtension : unpairedExtension}`

/** The files of `<home>/wallets`. */
export class WalletFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the wallets by name. An unreadable file is left out, because it must not hide the others. */
  list(): readonly StoredWallet[] {
    if (checkFolder(this.#folder) === undefined) return []
    return readdirSync(this.#folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap((entry) => {
        const [, name, mark] = /^([A-Za-z0-9][A-Za-z0-9_-]*)(\.unpaired)?\.json$/.exec(entry.name) ?? []
        if (name === undefined) return []
        try {
          return [this.#read(name, mark === undefined)]
        } catch (error) {
          if (error instanceof KeystoreError) return []
          throw error
        }
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  find(name: string): StoredWallet | undefined {
    return this.list().find((wallet) => wallet.name === name)
  }

  /** Writes a new wallet, which is paired. */
  async create(name: string, file: NewKeyFile): Promise<void> {
    const text = JSON.stringify({ ...toKeyFileJson(file), accounts: [] })
    await writePrivateFile(this.#folder, fileName(name, true), text)
  }

  async keepAccount({ name, text, derived, isPaired }: StoredWallet, account: DerivedAccount): Promise<void> {
    const accounts = [...derived, account].map(({ path, address }) => ({ path, address: toHex(address) }))
    const changed = JSON.stringify({ ...(JSON.parse(text) as object), accounts })
    await writePrivateFile(this.#folder, fileName(name, isPaired), changed)
  }

  async setPaired({ name, isPaired }: StoredWallet, paired: boolean): Promise<void> {
    if (isPaired === paired) return
    await rename(join(this.#folder, fileName(name, isPaired)), join(this.#folder, fileName(name, paired)))
    await syncFolder(this.#folder)
  }

  #read(name: string, isPaired: boolean): StoredWallet {
    const text = readPrivateFile(join(this.#folder, fileName(name, isPaired)), maxKeyFileBytes)
    const { address } = parseKeyFile(text)
    if (address === undefined) throw badKeyFileError('a wallet names its address')
    const { accounts } = JSON.parse(text) as { accounts?: unknown }
    if (!Array.isArray(accounts)) throw badKeyFileError('a wallet lists its accounts')
    return { name, isPaired, address, derived: accounts.map(readDerived), text }
  }
}

const readDerived = (value: unknown): DerivedAccount => {
  const { path, address } = (value ?? {}) as { path?: unknown; address?: unknown }
  if (typeof path !== 'string') throw badKeyFileError('an account has a path')
  return { path, address: parseHexBytes(address, 'address', 20) }
}
