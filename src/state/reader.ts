import type { Transaction } from 'lmdb'
import { type Account, type EvmStateReader, emptyCodeHash } from '../chain/state/evmState.ts'
import { type AccountProof, createAccountProof } from './proof.ts'
import { decodeAccount, emptyRoot, type StoredAccount, writeHeight } from './rows.ts'
import {
  type DumpedAccount,
  type DumpedSlot,
  iterateAccounts,
  iterateSlots,
  type Page,
  takePage,
} from './stateRange.ts'
import type { StateTables } from './tables.ts'
import type { ReadPoint } from './trie/sources.ts'
import { versionBytes } from './versionedTable.ts'

const noCode = new Uint8Array(0)

/**
 * The state at one height. Without a pinned transaction it reads the committed rows, in which later heights
 * do not change this one; it is valid while the height is kept. With a pinned transaction it also survives
 * pruning and reverts, until it is closed.
 */
export class StateReader implements EvmStateReader {
  readonly at: ReadPoint
  readonly root: Uint8Array
  readonly #tables: StateTables
  readonly #transaction: Transaction | undefined
  /**
   * address ‖ incarnation ‖ slot of the last storage read, because a contract often reads several of its
   * slots.
   */
  readonly #slotKey = new Uint8Array(58)
  #slotState: 'none' | 'empty' | 'full' = 'none'

  constructor(tables: StateTables, height: number, root: Uint8Array, transaction?: Transaction) {
    this.#tables = tables
    this.root = root
    this.#transaction = transaction
    this.at = { height, pinned: transaction && { transaction } }
  }

  get height(): number {
    return this.at.height
  }

  account(address: Uint8Array): Account | undefined {
    return this.storedAccount(address)
  }

  /** Returns the account with its storage root. */
  storedAccount(address: Uint8Array): StoredAccount | undefined {
    const { accounts } = this.#tables
    if (!accounts.find(address, this.at.height, this.at.pinned)) return undefined
    return decodeAccount(accounts.bytes, versionBytes)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const word = new Uint8Array(32)
    if (!this.#isSlotKeyOf(address)) this.#selectAccount(address)
    if (this.#slotState === 'empty') return word
    this.#slotKey.set(slot, 26)
    const { slots } = this.#tables
    if (!slots.find(this.#slotKey, this.at.height, this.at.pinned)) return word
    const { bytes, end } = slots
    for (let from = versionBytes, to = 32 - (end - versionBytes); from < end; from++, to++) {
      word[to] = bytes[from] as number
    }
    return word
  }

  code(codeHash: Uint8Array): Uint8Array {
    if (Buffer.compare(codeHash, emptyCodeHash) === 0) return noCode
    const code = this.#tables.code.get(codeHash)
    if (!code) throw new Error(`no code is kept for ${Buffer.from(codeHash).toString('hex')}`)
    return new Uint8Array(code.buffer, code.byteOffset, code.length)
  }

  hasStorage(address: Uint8Array): boolean {
    const account = this.storedAccount(address)
    return account !== undefined && account.storageRoot !== emptyRoot
  }

  /** Returns standard Merkle-Patricia proofs of an account and of its slots, present or absent. */
  getProof(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    return createAccountProof(this.#tables, this.at, address, slots)
  }

  /** Returns accounts in the order of their hashes, starting at a hash. */
  accountRange(from: Uint8Array, limit: number): Page<DumpedAccount> {
    return takePage(iterateAccounts(this.#tables, this.at, from), limit)
  }

  /** Returns slots of an account in the order of their hashes, starting at a hash. */
  storageRange(address: Uint8Array, from: Uint8Array, limit: number): Page<DumpedSlot> {
    const account = this.storedAccount(address)
    if (!account) return { items: [], next: undefined }
    return takePage(iterateSlots(this.#tables, this.at, address, account, from), limit)
  }

  /** Releases the pinned transaction; the reader must not be used after it. */
  close(): void {
    this.#transaction?.done()
  }

  #isSlotKeyOf(address: Uint8Array): boolean {
    if (this.#slotState === 'none') return false
    for (let i = 0; i < 20; i++) if (this.#slotKey[i] !== address[i]) return false
    return true
  }

  #selectAccount(address: Uint8Array): void {
    const account = this.storedAccount(address)
    this.#slotKey.set(address)
    this.#slotState = account && account.storageRoot !== emptyRoot ? 'full' : 'empty'
    if (account) writeHeight(this.#slotKey, 20, account.incarnation)
  }
}
