import type { Transaction } from 'lmdb'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { type Account, type EvmStateReader, emptyCodeHash } from '../../chain/state/evmState.ts'
import type { ForkKey, ForkSource } from '../../chain/state/forkSource.ts'
import { decodeAccount, emptyRoot, noStorage, type StoredAccount, writeHeight } from '../rows/rows.ts'
import { versionBytes } from '../rows/versionedTable.ts'
import type { StateTables } from '../stateTables.ts'
import type { ReadPoint } from '../trie/storedTrie.ts'
import { type AccountProof, createAccountProof } from './accountProof.ts'
import {
  type DumpedAccount,
  type DumpedSlot,
  iterateAccounts,
  iterateSlots,
  type Page,
  takePage,
} from './stateRange.ts'

const noCode = new Uint8Array(0)

/**
 * The state at one height. Without a pinned transaction it reads the committed rows, in which later heights
 * do not change this one; it is valid while the height is kept. With a pinned transaction it also survives
 * pruning and reverts, until it is closed. On a forked chain what has no row here is read from the remote chain.
 */
export class StateReader implements EvmStateReader {
  readonly at: ReadPoint
  #root: Uint8Array | undefined
  readonly #tables: StateTables
  readonly #transaction: Transaction | undefined
  readonly #fork: ForkSource | undefined
  /**
   * address ‖ incarnation ‖ slot of the last storage read, because a contract often reads several of its
   * slots.
   */
  readonly #slotKey = new Uint8Array(58)
  #slotState: 'none' | 'empty' | 'full' | 'remote' = 'none'

  constructor(
    tables: StateTables,
    height: number,
    /** The root; if undefined it is read when it is needed. */
    root: Uint8Array | undefined,
    fork: ForkSource | undefined,
    transaction?: Transaction,
  ) {
    this.#tables = tables
    this.#fork = fork
    this.#root = root
    this.#transaction = transaction
    this.at = { height, pinned: transaction && { transaction } }
  }

  get height(): number {
    return this.at.height
  }

  get root(): Uint8Array {
    this.#root ??= this.#tables.root(this.at.height)
    if (this.#root === undefined) throw new Error(`the state of height ${this.at.height} is gone`)
    return this.#root
  }

  /** Whether its height still has the state that it had when the root was first read: blocks may have been removed. */
  isUnchanged(): boolean {
    const { root } = this
    const now = this.#tables.root(this.at.height)
    return now !== undefined && equalBytes(now, root)
  }

  account(address: Uint8Array): Account | undefined {
    return this.storedAccount(address)
  }

  /** Returns the account with its storage root. */
  storedAccount(address: Uint8Array): StoredAccount | undefined {
    const { accounts } = this.#tables
    if (accounts.find(address, this.at.height, this.at.pinned))
      return decodeAccount(accounts.bytes, versionBytes)
    if (this.#fork === undefined || accounts.end > 0) return undefined
    const account = this.#fork.account(address)
    return account && { ...account, ...noStorage }
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const word = new Uint8Array(32)
    if (!this.#isSlotKeyOf(address)) this.#selectAccount(address)
    if (this.#slotState === 'empty') return word
    this.#slotKey.set(slot, 26)
    const { slots } = this.#tables
    if (!slots.find(this.#slotKey, this.at.height, this.at.pinned))
      return this.#slotState === 'remote' && slots.end === 0 && this.#fork !== undefined
        ? this.#fork.storage(address, slot)
        : word
    const { bytes, end } = slots
    for (let from = versionBytes, to = 32 - (end - versionBytes); from < end; from++, to++) {
      word[to] = bytes[from] as number
    }
    return word
  }

  code(codeHash: Uint8Array): Uint8Array {
    if (Buffer.compare(codeHash, emptyCodeHash) === 0) return noCode
    const code = this.#tables.code.get(codeHash)
    if (code) return new Uint8Array(code.buffer, code.byteOffset, code.length)
    const remote = this.#fork?.code(codeHash)
    if (remote) return remote
    throw new Error(`no code is kept for ${Buffer.from(codeHash).toString('hex')}`)
  }

  hasStorage(address: Uint8Array): boolean {
    const account = this.storedAccount(address)
    return account !== undefined && account.storageRoot !== emptyRoot
  }

  /** Makes values of the remote chain known that are likely to be read and not changed here, all of them at once. */
  prefetch(keys: readonly ForkKey[]): void {
    if (this.#fork === undefined) return
    const { accounts } = this.#tables
    const isOfRemote = (address: Uint8Array): boolean =>
      !accounts.find(address, this.at.height, this.at.pinned) && accounts.end === 0
    this.#fork.load(keys.filter((key) => key.kind !== 'account' || isOfRemote(key.address)))
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
    const { accounts } = this.#tables
    const isLive = accounts.find(address, this.at.height, this.at.pinned)
    const account = isLive ? decodeAccount(accounts.bytes, versionBytes) : undefined
    // A deleted account has a row too; its storage is gone whatever the remote chain has there.
    const isRemote = this.#fork !== undefined && (account ? !account.isDetached : accounts.end === 0)
    this.#slotKey.set(address)
    if (isRemote) this.#slotState = 'remote'
    else this.#slotState = account && account.storageRoot !== emptyRoot ? 'full' : 'empty'
    writeHeight(this.#slotKey, 20, account?.incarnation ?? 0)
  }
}
