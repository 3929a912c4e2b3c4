import type { Header } from '../block/header.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { AccountOverride, BlockOverride } from '../state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../state/simulation.ts'
import type { TransactionRequest } from '../transaction/request.ts'
import type { AccessListEntry, Transaction } from '../transaction/types.ts'
import type { BlockRef } from './blockRef.ts'
import type { CosmosView } from './cosmos.ts'
import type { Events } from './events.ts'
import type { LogReader } from './logReader.ts'
import type { Traces } from './traces.ts'

/**
 * THE PORT: a chain as Ethereum sees it. Everything above it is the same for every chain; `node/` and `gateway/` are its
 * two adapters. What is read from the own store is synchronous; what may have to be asked for elsewhere may be a promise.
 * A question that has no answer throws a `ChainError`.
 */
export interface Chain {
  readonly config: ChainConfig
  readonly blocks: BlockReader
  readonly logs: LogReader
  readonly pool: Pool
  readonly executor: Executor
  readonly traces: Traces
  readonly fees: Fees
  readonly network: Network
  readonly control: Control
  readonly events: Events
  /** Undefined where no CometBFT is behind the chain. */
  readonly cosmos?: CosmosView | undefined
  head(): Head
  retention(): Retention
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
  /** Undefined: nodes of Merkle-Patricia tries. Else each proof is ICS-23 commitment proofs, the innermost first. */
  readonly proofType?: 'ics23' | undefined
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

/** What to run, and what it sees in place of the truth. */
export interface CallQuestion {
  readonly request: TransactionRequest
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverride | undefined
}

export interface CallOutcome {
  readonly isSuccess: boolean
  /** The machine's word for a failure, a revert too. */
  readonly error: string | undefined
  readonly isRevert: boolean
  readonly output: Uint8Array
  /** As a receipt would say. */
  readonly gasUsed: bigint
}

/** The least gas, or how it fails with all the gas it may have. */
export type EstimateOutcome =
  | { readonly gas: bigint; readonly failure: undefined }
  | { readonly gas: undefined; readonly failure: CallOutcome }

/** The list that makes everything warm that the call looks at, and what the call costs with it. */
export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** The machine's word where the call fails. */
  readonly error: string | undefined
}

/** Calls that see each other's changes, in a block of their own. */
export interface CallBundle {
  readonly requests: readonly TransactionRequest[]
  readonly blockOverrides?: BlockOverride | undefined
}

export interface Executor {
  call(question: CallQuestion, at: BlockRef, signal: AbortSignal): MaybePromise<CallOutcome>
  estimateGas(question: CallQuestion, at: BlockRef, signal: AbortSignal): MaybePromise<EstimateOutcome>
  createAccessList(question: CallQuestion, at: BlockRef, signal: AbortSignal): MaybePromise<AccessListOutcome>
  /**
   * One bundle after the other, each a block later; an outcome, or the words of a refusal, for every request. They
   * begin before a transaction of the block, or after all of them where `before` is undefined.
   */
  callMany(
    bundles: readonly CallBundle[],
    stateOverrides: readonly AccountOverride[] | undefined,
    at: BlockRef,
    before: number | undefined,
    signal: AbortSignal,
  ): MaybePromise<readonly (readonly (CallOutcome | string)[])[]>
  /** Blocks that would follow the one named. */
  simulate(simulation: Simulation, at: BlockRef, signal: AbortSignal): MaybePromise<SimulationOutcome>
  /**
   * The state in which a transaction of a block began: those before it in the block are run again. The place after the
   * last one is the state after all of them, before what the block does at its end.
   */
  stateBefore(place: TransactionPlace, signal: AbortSignal): MaybePromise<StateView>
}

export interface FeeHistory {
  readonly oldest: number
  /** One for each block, oldest first; base fees have one more: that of the block after the newest. */
  readonly baseFees: readonly bigint[]
  readonly gasUsedRatios: readonly number[]
  readonly blobBaseFees: readonly bigint[]
  readonly blobGasUsedRatios: readonly number[]
  /** Tips by the percentiles asked for; undefined where none were. */
  readonly rewards: readonly (readonly bigint[])[] | undefined
}

/** What gas costs. */
export interface Fees {
  /** A tip, in wei, with which a transaction is likely to be in the next block. */
  suggestTip(): MaybePromise<bigint>
  /** Of the block after the head; undefined before London. */
  nextBaseFee(): MaybePromise<bigint | undefined>
  /** Of the head; undefined before Cancun. */
  blobBaseFee(): MaybePromise<bigint | undefined>
  /** Fewer blocks where there are no more, or no more are given at once. Percentiles rise from 0 to 100. */
  history(count: number, newest: BlockRef, percentiles: readonly number[] | undefined): Promise<FeeHistory>
}

/** How far back what is kept goes. */
export interface Retention {
  readonly oldestState: number
  /** How many states are kept behind the head; undefined: all. */
  readonly keptStates: number | undefined
  /** With its transactions, receipts and logs. */
  readonly oldestBlock: number
}

/** Who is out there: what the engine knows of this node, its peers and the validators. */
export interface Network {
  readonly isListening: boolean
  /** This node as its peers know it; undefined where the engine speaks to no other node. */
  self(): MaybePromise<NodeIdentity | undefined>
  peerCount(): MaybePromise<number>
  peers(): MaybePromise<readonly Peer[]>
  /** Who could propose the block of a height that is there: the addresses that stand in blocks of theirs. */
  validators(number: number): MaybePromise<readonly Uint8Array[]>
  /** Who decides the block of a height, which is there or the next one, with what the engine knows of each. */
  validatorSet(number: number): MaybePromise<readonly NetworkValidator[]>
  /** Who proposed the block of a height; undefined for the first block, which nobody did, and for what is not known any more. */
  proposal(number: number): MaybePromise<Proposal | undefined>
  /** Undefined while in step with the chain. */
  syncing(): MaybePromise<SyncProgress | undefined>
  /** The address that receives rewards of blocks that this node proposes. */
  coinbase(): MaybePromise<Uint8Array>
}

/** A node in the words of the engine's peer-to-peer layer. */
export interface NodeIdentity {
  readonly id: string
  /** What the operator calls it. */
  readonly name: string
  /** `host:port` */
  readonly address: string
  /** The version of the engine. */
  readonly version: string
}

export interface Peer extends NodeIdentity {
  /** It came to us. */
  readonly isInbound: boolean
}

/** One who decides blocks. */
export interface NetworkValidator {
  readonly publicKey: Uint8Array
  /** What the engine calls it: 20 bytes. */
  readonly engineAddress: Uint8Array
  readonly power: bigint
  /** Receives the tips of its blocks; undefined where the chain does not say. */
  readonly reward: Uint8Array | undefined
}

export interface Proposal {
  readonly proposer: Uint8Array
  /** It was this validator's turn: nobody had to step in. */
  readonly isInTurn: boolean
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
  /** From the next block of this node on; the next start begins with the configured one again. */
  setCoinbase(address: Uint8Array): Promise<void>
  /** Connects to a node, `id@host:port`, and keeps it as a peer; false where it is one already. */
  addPeer(peer: string): Promise<boolean>
}
