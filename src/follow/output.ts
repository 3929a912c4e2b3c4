import type { BlockBatch } from './blockBatch.ts'
import type { Cursor } from './cursor.ts'

/** Where to go on. */
export type Place = Omit<Cursor, 'bytes' | 'format'>

/** Thrown if an output is not where it was left: writing goes on from where it is, or, where it has nothing, ends. */
export class CursorMovedError extends Error {
  readonly place: Place | undefined

  constructor(place: Place | undefined) {
    super('the output has changed since the last run')
    this.place = place
  }
}

/** The blocks that are written. */
export interface Past {
  /** The first of them. */
  readonly first: number
  hashAt(number: number): Promise<string | undefined>
  /** Removes what is behind a place. */
  takeBack(place: Place): Promise<void>
}

/** Where records go. What was written counts once the cursor is saved. */
export interface Output<B extends BlockBatch = BlockBatch> {
  /** Where the run before ended; undefined if this is the first. */
  readonly cursor: Place | undefined
  /** Returns the last block that may be written together with one; without it there is no such bound. */
  lastBeside?(number: number): number
  createBatch(): B
  /** Whether it needs receipts though neither receipts nor logs were chosen. */
  readonly needsReceipts?: boolean
  /** Writes some blocks, one after the other; `place` is where to go on behind them. */
  write(batch: B, blocks: number, place: Place): Promise<void>
  /** Makes what was written last, and then the place to go on; `isEnd` says that no block is wanted behind it. */
  save(cursor: Place, isEnd: boolean): Promise<void>
  /** Called when there is nothing more to write for now. */
  onCaughtUp?(): Promise<void>
  /** What is written, of an output that can take blocks back. */
  readonly past?: Past
  close(): Promise<void>
}
