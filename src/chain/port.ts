import type { BlockRef } from './blockRef.ts'
import type { ChainConfig } from './chainConfig.ts'
import type { Header } from './header.ts'
import type { Transaction } from './transaction/types.ts'
import type { TransactionRequest } from './transactionRequest.ts'

/**
 * THE PORT: a chain as Ethereum sees it. Everything above it is the same for every chain; `node/` and `gateway/` are its
 * two adapters. What is read from the own store is synchronous; what may have to be asked for elsewhere may be a promise.
 * A question that has no answer throws a `ChainError`.
 */
export interface Chain {
  readonly config: ChainConfig
  readonly blocks: BlockReader
  readonly pool: Pool
  readonly executor: Executor
  readonly network: Network
  readonly control: Control
  head(): Head
  /** Throws `header not found` or `state pruned`. `pending` is the state after the pending block. */
  state(at: BlockRef): MaybePromise<StateView>
}

export type MaybePromise<T> = T | Promise<T>

export interface Head {
  readonly number: number
  readonly hash: Uint8Array
  /** Seconds since 1970. */
  readonly time: number
}

/** Where a transaction stands. */
export interface TransactionPlace {
  readonly number: number
  readonly index: number
}

/** Blocks as they are served: JSON and RLP bytes, copied from where they are kept. Undefined: there is none. */
export interface BlockReader {
  /** The height of a block, `pending` for that tag, undefined for one that is not there. */
  resolve(ref: BlockRef): number | 'pending' | undefined
  blockJson(number: number, isFull: boolean): Uint8Array | undefined
  headerJson(number: number): Uint8Array | undefined
  header(number: number): Header | undefined
  hash(number: number): Uint8Array | undefined
  transactionCount(number: number): number | undefined
  locate(transactionHash: Uint8Array): TransactionPlace | undefined
  locateBySender(sender: Uint8Array, nonce: bigint): TransactionPlace | undefined
  transactionJson(place: TransactionPlace): Uint8Array | undefined
  receiptJson(place: TransactionPlace): Uint8Array | undefined
  receiptsJson(number: number): Uint8Array | undefined
  ommerCount(number: number): number | undefined
  ommerJson(number: number, index: number): Uint8Array | undefined
  headerRlp(number: number): Uint8Array | undefined
  blockRlp(number: number): Uint8Array | undefined
  transactionRlp(place: TransactionPlace): Uint8Array | undefined
  receiptsRlp(number: number): readonly Uint8Array[] | undefined
  /** The block that would come next, built from the pool. */
  pending(): Promise<PendingBlock>
}

/** The pending block; `hash`, `nonce` and `miner` are null in its JSON. */
export interface PendingBlock {
  readonly transactionCount: number
  blockJson(isFull: boolean): Uint8Array
  headerJson(): Uint8Array
  transactionJson(index: number): Uint8Array | undefined
  transactionRlp(index: number): Uint8Array | undefined
  receiptsJson(): Uint8Array
}

export interface AccountView {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
}

export interface AccountProof extends AccountView {
  readonly accountProof: readonly Uint8Array[]
  readonly storageProof: readonly { readonly value: bigint; readonly proof: readonly Uint8Array[] }[]
}

/** The state at one height. Addresses are 20 bytes, slots and values 32. */
export interface StateView {
  balance(address: Uint8Array): MaybePromise<bigint>
  nonce(address: Uint8Array): MaybePromise<bigint>
  code(address: Uint8Array): MaybePromise<Uint8Array>
  storage(address: Uint8Array, slot: Uint8Array): MaybePromise<Uint8Array>
  /** Undefined where no account is. */
  account(address: Uint8Array): MaybePromise<AccountView | undefined>
  /** In the order of the slots asked for. */
  prove(address: Uint8Array, slots: readonly Uint8Array[]): MaybePromise<AccountProof>
  /** Accounts in the order of their hashed addresses, from `start` on (debug_accountRange, debug_dumpBlock). */
  accounts(start: Uint8Array, limit: number): MaybePromise<AccountPage>
  /** Slots in the order of their hashes, from `start` on (debug_storageRangeAt). */
  slots(address: Uint8Array, start: Uint8Array, limit: number): MaybePromise<SlotPage>
}

export interface AccountPage {
  readonly root: Uint8Array
  readonly accounts: readonly (AccountView & {
    readonly address: Uint8Array
    readonly hashedAddress: Uint8Array
  })[]
  /** Where to go on; undefined at the end. */
  readonly next: Uint8Array | undefined
}

export interface SlotPage {
  readonly slots: readonly {
    readonly hashedSlot: Uint8Array
    readonly slot: Uint8Array
    readonly value: Uint8Array
  }[]
  readonly next: Uint8Array | undefined
}

export interface PoolTransaction {
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly raw: Uint8Array
  readonly transaction: Transaction
}

/** The transactions of one sender in the order of their nonces. */
export type BySender = ReadonlyMap<string, readonly PoolTransaction[]>

export interface Pool {
  /**
   * Takes a signed transaction. Resolves with its hash once the pool took it; where every transaction gets a block of
   * its own, once that block is there. Throws a `ChainError` of kind `refused` in geth's wording.
   */
  submit(raw: Uint8Array): Promise<Uint8Array>
  get(hash: Uint8Array): PoolTransaction | undefined
  /** The sender's nonce after everything of it that can be executed. */
  nextNonce(sender: Uint8Array): MaybePromise<bigint>
  /** Keys are addresses as lower-case DATA. */
  content(): { readonly pending: BySender; readonly queued: BySender }
  /** What is there of one sender, in the order of its nonces. */
  contentOf(sender: Uint8Array): {
    readonly pending: readonly PoolTransaction[]
    readonly queued: readonly PoolTransaction[]
  }
  counts(): { readonly pending: number; readonly queued: number }
  /** Resolves when the transaction is in a block, undefined when the time is up first. */
  waitFor(hash: Uint8Array, signal: AbortSignal): Promise<TransactionPlace | undefined>
}

export interface CallOutcome {
  readonly isSuccess: boolean
  /** The machine's word for a failure other than a revert. */
  readonly error: string | undefined
  readonly isRevert: boolean
  readonly output: Uint8Array
  readonly gasUsed: bigint
}

export interface Executor {
  call(request: TransactionRequest, at: BlockRef, signal: AbortSignal): MaybePromise<CallOutcome>
  /**
   * The state in which a transaction of a block began: those before it in the block are run again. The place after the
   * last one is the state after all of them, before what the block does at its end.
   */
  stateBefore(place: TransactionPlace, signal: AbortSignal): MaybePromise<StateView>
}

/** Who is out there, and what is usual now. */
export interface Network {
  readonly isListening: boolean
  peerCount(): MaybePromise<number>
  /** Undefined while in step with the chain. */
  syncing(): MaybePromise<SyncProgress | undefined>
  /** The address that receives rewards of blocks that this node proposes. */
  coinbase(): MaybePromise<Uint8Array>
  /** A tip, in wei, with which a transaction is likely to be in the next block. */
  suggestTip(): MaybePromise<bigint>
}

export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** What an operator can do to a chain. */
export interface Control {
  /** Takes back every block above the height. */
  setHead(number: number): Promise<void>
}
