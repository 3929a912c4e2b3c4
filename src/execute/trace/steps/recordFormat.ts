/**
 * A record of the steps of a transaction: a file from which any piece of them is read without a replay.
 *
 * A step is written as what differs from the one before it in its frame, or whole: every `wholeEvery` steps, and wherever
 * the frame changes, so that reading begins at a whole step near the wanted one and needs no other frame. The index of
 * those places and what is recorded of the whole transaction stand at the end as JSON, after it in 8 bytes where that begins,
 * and then whose steps they are: a file without that at its end is not complete, or another transaction's.
 */
import { maxShownMemory, type StepSummary } from '../../../evm/tracers/steps/stepPiece.ts'

export const wholeEvery = 256

export const maxStackBytes = 1024 * 32

/** Stack and memory of a frame as they are in both the writer and the reader: first the stack, then the shown memory. */
export const mirrorBytes = maxStackBytes + maxShownMemory

/** What the first byte of a step says. */
export const flag = { isWhole: 1, hasMessage: 2, hasMemory: 4, isCreation: 8 } as const

export interface RecordTail extends StepSummary {
  /** The steps that the record has: fewer than `total` where it would have been too large. */
  readonly recorded: number
  /** Where every `wholeEvery`th step begins. */
  readonly index: readonly number[]
}

export const tailPointerBytes = 8

/** A file for the steps of a transaction. */
export interface StepRecordFile {
  readonly path: string
  /** The transaction: the hash of its block and its place there. */
  readonly key: Uint8Array
}
