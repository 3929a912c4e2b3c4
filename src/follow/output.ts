import type { BlockBatch } from './blockBatch.ts'
import type { Cursor } from './cursor.ts'

/** Where to go on. */
export type Place = Omit<Cursor, 'bytes' | 'format'>

/** Where records go. What was written counts once the cursor is saved. */
export interface Output<B extends BlockBatch = BlockBatch> {
  /** Where the run before ended; undefined if this is the first. */
  readonly cursor: Place | undefined
  /** Returns the last block that may be written together with one; without it there is no such bound. */
  lastBeside?(number: number): number
  createBatch(): B
  /** Writes some blocks, one after the other. */
  write(batch: B, blocks: number): Promise<void>
  /** Makes what was written last, and then the place to go on; `isEnd` says that no block is wanted behind it. */
  save(cursor: Place, isEnd: boolean): Promise<void>
  close(): Promise<void>
}
