import type { AppHead, DecidedBlock } from '../app/application.ts'
import { fromHeadMessage, type HeadMessage } from '../app/headMessage.ts'
import type { OfferRejection, SnapshotOffer } from '../app/snapshot/restore.ts'
import type { PoolTransaction } from '../pool/types.ts'

/** The application, which runs on a thread of its own, as far as engines call it. */
export interface EngineApplication {
  /** Gives why a proposal must not be voted for; undefined where it may be. */
  processProposal(proposal: Omit<DecidedBlock, 'engineHash'>): Promise<string | undefined>
  /** Executes a block of a replicated engine and gives the answer to it, encoded. */
  finalizeDecided(decided: DecidedBlock): Promise<Uint8Array>
  /** Commits the block that was finalized last. */
  commitDecided(): Promise<CommittedBlock>
  offerSnapshot(offer: SnapshotOffer): Promise<OfferOutcome>
  applyChunk(index: number, chunk: Uint8Array): Promise<ChunkOutcome>
}

/** A block that is committed, with what the pool has to know of it. */
export interface CommittedBlock extends AppHead {
  /** The hashes of its transactions. */
  readonly included: readonly Uint8Array[]
  /** The addresses of the accounts that are not as they were. */
  readonly changed: readonly Uint8Array[]
}

/** What became of the offer of a snapshot. */
export interface OfferOutcome {
  /** Undefined: it is taken. */
  readonly rejection?: OfferRejection
  readonly reason?: string
}

/** What became of a chunk of a snapshot; `Head` is in the form in which it is told. */
export type ChunkOutcome<Head = AppHead> =
  | { readonly kind: 'taken' }
  /** The chain stands at the snapshot's block now. */
  | { readonly kind: 'restored'; readonly head: Head }
  /** It is not the chunk that the snapshot names. */
  | { readonly kind: 'wrong chunk' }
  /** The chunks are right and what they say is not: nobody offers this in good faith. */
  | { readonly kind: 'wrong snapshot'; readonly reason: string; readonly head: Head }
  /** It has nothing to do with the snapshot. */
  | { readonly kind: 'failed'; readonly reason: string }

/** Reads an outcome that came from the application's thread. */
export const fromChunkMessage = (message: ChunkOutcome<HeadMessage>): ChunkOutcome =>
  'head' in message ? { ...message, head: fromHeadMessage(message.head) } : message

/** What fills blocks from the pool, as far as engines use it. */
export interface EngineProducer {
  /** The address that receives the rewards of the next block. */
  coinbase: Uint8Array
  /** Whether a block made now would hold a transaction. */
  hasTransactions(): boolean
  /** Makes the next block, commits and follows it; gives the number of its transactions. */
  produceBlock(): Promise<number>
  /** Gives the pool's transactions for the next block, best first; to be read before the pool changes. */
  select(): Generator<PoolTransaction, void>
}
