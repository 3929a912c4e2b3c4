import { rmSync } from 'node:fs'
import { fromBigInt, toBigInt } from '../base/encoding/bytes.ts'
import { DamagedFileError } from '../base/lmdb/file/damage.ts'
import { LmdbEnvironment, type Table } from '../base/lmdb/lmdb.ts'
import { unavailable } from '../chain/chainError.ts'
import { type Account, emptyCodeHash } from '../chain/state/evmState.ts'
import type { ForkKey } from '../chain/state/forkSource.ts'

/**
 * The values of the fork block that were read, in a file of their own. They are those of one block, so that they never
 * change: whoever writes one twice writes the same. Any number of processes may use the file.
 */

/** An account that is known not to exist. */
const absent = Uint8Array.of(0)
const nonceBytes = 8
const balanceBytes = 32

/** A value that was fetched. */
export type ForkValue =
  | {
      readonly kind: 'account'
      readonly address: Uint8Array
      readonly account: Account
      readonly code: Uint8Array
    }
  | {
      readonly kind: 'slot'
      readonly address: Uint8Array
      readonly slot: Uint8Array
      readonly word: Uint8Array
    }
  | { readonly kind: 'hash'; readonly number: number; readonly hash: Uint8Array }

interface ForkTables {
  /** address → 1 ‖ nonce ‖ balance ‖ code hash, or 0 for none */
  readonly accounts: Table
  /** address ‖ slot → word */
  readonly slots: Table
  /** hash → code */
  readonly code: Table
  /** number → hash */
  readonly hashes: Table
}

const numberKey = (number: number): Uint8Array => fromBigInt(BigInt(number), 8)

const slotKey = (address: Uint8Array, slot: Uint8Array): Uint8Array => {
  const key = new Uint8Array(52)
  key.set(address)
  key.set(slot, 20)
  return key
}

const copyOf = (row: Uint8Array): Uint8Array => Uint8Array.from(row)

export interface ForkCacheOptions {
  readonly path: string
  readonly readOnly?: boolean
  /** Whether what was read must survive a power cut. Defaults to false. */
  readonly isDurable?: boolean
}

/** A file that this thread has open. */
class ForkFile {
  readonly environment: LmdbEnvironment
  readonly tables: ForkTables

  constructor({ path, readOnly = false, isDurable = false }: ForkCacheOptions) {
    this.environment = new LmdbEnvironment({ path, readOnly, isDurable, minFreeBytes: 0 })
    this.tables = this.environment.openTables(() => ({
      accounts: this.environment.table('fork.accounts'),
      slots: this.environment.table('fork.slots'),
      code: this.environment.table('fork.code'),
      hashes: this.environment.table('fork.hashes'),
    }))
  }
}

/**
 * The files that are open for writing, by their paths. A file that was opened twice would be waited for by this very thread:
 * opening takes the lock that a transaction of the other holds until this thread goes on.
 */
const openFiles = new Map<string, { readonly file: ForkFile; users: number; closing?: Promise<void> }>()

export class ForkCache {
  readonly #file: ForkFile
  readonly #release: () => Promise<void>
  #isClosed = false

  private constructor(file: ForkFile, release: () => Promise<void>) {
    this.#file = file
    this.#release = release
  }

  /** Opens a file that another thread of this process has open for writing. */
  static openReader(path: string): ForkCache {
    const file = new ForkFile({ path, readOnly: true })
    return new ForkCache(file, () => file.environment.close())
  }

  /** Opens a file for writing; a damaged one is started over, because everything in it can be fetched again. */
  static async open(options: ForkCacheOptions): Promise<ForkCache> {
    const { path } = options
    for (let known = openFiles.get(path); known?.closing !== undefined; known = openFiles.get(path))
      await known.closing
    const shared = openFiles.get(path) ?? { file: ForkCache.#openFile(options), users: 0 }
    openFiles.set(path, shared)
    shared.users++
    return new ForkCache(shared.file, async () => {
      shared.users--
      if (shared.users > 0) return
      shared.closing = shared.file.environment.close().finally(() => openFiles.delete(path))
      await shared.closing
    })
  }

  static #openFile(options: ForkCacheOptions): ForkFile {
    try {
      return new ForkFile(options)
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error
      for (const suffix of ['', '-lock']) rmSync(`${options.path}${suffix}`, { force: true })
      return new ForkFile(options)
    }
  }

  /** A reset closes the file while there may be somebody who still reads the chain from before. */
  #assertOpen(): void {
    if (this.#isClosed) throw unavailable('the chain was reset: ask again')
  }

  get #tables(): ForkTables {
    this.#assertOpen()
    return this.#file.tables
  }

  /** Returns an account, undefined if it does not exist, or `unknown`. */
  account(address: Uint8Array): Account | undefined | 'unknown' {
    const row = this.#tables.accounts.get(address)
    if (row === undefined) return 'unknown'
    if (row[0] === 0) return undefined
    const balanceAt = 1 + nonceBytes
    const hashAt = balanceAt + balanceBytes
    return {
      nonce: toBigInt(row.subarray(1, balanceAt)),
      balance: toBigInt(row.subarray(balanceAt, hashAt)),
      codeHash: copyOf(row.subarray(hashAt, hashAt + 32)),
    }
  }

  /** Returns a slot's value; undefined if it is not known. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const row = this.#tables.slots.get(slotKey(address, slot))
    return row && copyOf(row)
  }

  code(codeHash: Uint8Array): Uint8Array | undefined {
    const row = this.#tables.code.get(codeHash)
    return row && copyOf(row)
  }

  blockHash(number: number): Uint8Array | undefined {
    const row = this.#tables.hashes.get(numberKey(number))
    return row && copyOf(row)
  }

  has(key: ForkKey): boolean {
    switch (key.kind) {
      case 'account':
        return this.#tables.accounts.doesExist(key.address)
      case 'slot':
        return (
          this.#tables.slots.doesExist(slotKey(key.address, key.slot)) ||
          this.account(key.address) === undefined
        )
      case 'hash':
        return this.#tables.hashes.doesExist(numberKey(key.number))
    }
  }

  /** Writes values; others see them when the promise resolves, after a refresh. */
  async write(values: readonly ForkValue[]): Promise<void> {
    // Before the transaction begins, which a closed file does not allow.
    this.#assertOpen()
    await this.#file.environment.transact(() => {
      for (const value of values) this.#put(value)
    })
  }

  #put(value: ForkValue): void {
    const { accounts, slots, code, hashes } = this.#tables
    switch (value.kind) {
      case 'account': {
        const { nonce, balance, codeHash } = value.account
        const isAbsent = nonce === 0n && balance === 0n && Buffer.compare(codeHash, emptyCodeHash) === 0
        if (value.code.length > 0) code.put(codeHash, value.code)
        accounts.put(
          value.address,
          isAbsent
            ? absent
            : Buffer.concat([
                Uint8Array.of(1),
                fromBigInt(nonce, nonceBytes),
                fromBigInt(balance, balanceBytes),
                codeHash,
              ]),
        )
        break
      }
      case 'slot':
        slots.put(slotKey(value.address, value.slot), value.word)
        break
      case 'hash':
        hashes.put(numberKey(value.number), value.hash)
        break
    }
  }

  /** Lets the next read see what was written since. */
  refresh(): void {
    if (!this.#isClosed) this.#file.environment.refresh()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#release()
  }
}
