import type { AppHead } from '../app/appHead.ts'
import { fromHeadMessage, type HeadMessage } from '../app/headMessage.ts'
import type { RecoveredTransaction } from '../app/packing.ts'
import type { DecidedBlock } from '../app/proposal/decidedBlock.ts'
import type { OfferRejection, SnapshotOffer } from '../app/snapshot/restore.ts'
import type { InvalidReason } from '../chain/transaction/invalidReason.ts'
import type { PoolTransaction } from '../pool/types.ts'

/** The number of blocks since the start that were executed ahead of the decision. */
export interface AheadStats {
  /** Blocks that were decided, so that their outcome was used. */
  readonly used: number
  /** Blocks that were not decided, or whose execution was given up. */
  readonly dropped: number
}

/** The part of the application thread's interface that engines call. */
export interface EngineApplication {
  /** Returns the reason for rejecting a proposal; undefined if it may be accepted. */
  processProposal(proposal: DecidedBlock): Promise<string | undefined>
  /** Executes a block that a replicated engine decided and returns the encoded response. */
  finalizeDecided(decided: DecidedBlock): Promise<Uint8Array>
  /** Commits the last finalized block. */
  commitDecided(): Promise<CommittedBlock>
  offerSnapshot(offer: SnapshotOffer): Promise<OfferOutcome>
  applyChunk(index: number, chunk: Uint8Array): Promise<ChunkOutcome>
}

/** A transaction that was not included in a block. */
export interface ExcludedTransaction {
  readonly hash: Uint8Array
  readonly reason: InvalidReason
}

/** A committed block with the values that the pool needs. */
export interface CommittedBlock extends AppHead {
  /** The hashes of its transactions. */
  readonly included: readonly Uint8Array[]
  /** The decided transactions that the Ethereum block does not contain. */
  readonly rejected: readonly ExcludedTransaction[]
  /** The addresses of the accounts that changed. */
  readonly changed: readonly Uint8Array[]
}

/** The response to the offer of a snapshot. */
export interface OfferOutcome {
  /** The reason category of a rejection; undefined if the offer is accepted. */
  readonly rejection?: OfferRejection
  readonly reason?: string
}

/** The result of a snapshot chunk. `Head` is the form in which the head is posted. */
export type ChunkOutcome<Head = AppHead> =
  | { readonly kind: 'taken' }
  /** The head is the snapshot's block now. */
  | { readonly kind: 'restored'; readonly head: Head }
  /** The chunk does not have the hash that the snapshot names. */
  | { readonly kind: 'wrong chunk' }
  /** The chunks have the right hashes but invalid content, so the snapshot is not an honest one. */
  | { readonly kind: 'wrong snapshot'; readonly reason: string; readonly head: Head }
  /** The failure has nothing to do with the snapshot. */
  | { readonly kind: 'failed'; readonly reason: string }

/** Converts an outcome that came from the application thread. */
export const fromChunkMessage = (message: ChunkOutcome<HeadMessage>): ChunkOutcome =>
  'head' in message ? { ...message, head: fromHeadMessage(message.head) } : message

/** The part of the block producer that engines use. */
export interface EngineProducer {
  /** The address that receives the tips of the next block. */
  coinbase: Uint8Array
  /** Returns whether a block produced now would contain a transaction. */
  hasTransactions(): boolean
  /** Produces and commits the next block, makes it the head and returns the number of its transactions. */
  produceBlock(): Promise<number>
  /** Does the same with given transactions in the place of the pool's. */
  produceBlockOf(transactions: readonly RecoveredTransaction[]): Promise<number>
  /** Produces empty blocks at these times in one commit, and makes the last one the head. */
  produceEmptyBlocks(times: readonly number[]): Promise<void>
  /**
   * Returns the pool's transactions for the next block, best first. They must be read before the pool changes. `gasLimit` is
   * what their gas limits may sum to.
   */
  select(gasLimit?: bigint): Generator<PoolTransaction, void>
}
