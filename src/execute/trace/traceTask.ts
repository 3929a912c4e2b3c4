import type { TracedCall, TraceOptions } from '../../chain/port/traces.ts'
import type { PostingListUpdate } from '../../store/index/postingTable.ts'
import type { TaskBlock } from '../tasks/task.ts'
import type { SpoolFile } from './spoolRoom.ts'
import type { StepRecordFile } from './steps/recordFormat.ts'

/**
 * What a trace worker traces. The task's block is the parent of the traced block; for a call it is the block itself.
 */
export type TraceTarget =
  | {
      readonly kind: 'transaction'
      readonly index: number
      /** The file of its steps, which is read or else written, if pieces of them are requested. */
      readonly stepRecord: StepRecordFile | undefined
    }
  | { readonly kind: 'block' }
  | { readonly kind: 'encoded'; readonly rlp: Uint8Array }
  | { readonly kind: 'call'; readonly call: TracedCall }
  | { readonly kind: 'roots' }
  /** What a block's execution reads of the state, with its proof. */
  | { readonly kind: 'witness' }
  | { readonly kind: 'files'; readonly folder: string; readonly only: Uint8Array | undefined }
  /** The addresses in the calls of this and the following blocks, as many as `count`. */
  | { readonly kind: 'callEnds'; readonly count: number }

export interface TraceTask {
  readonly kind: 'trace'
  readonly block: TaskBlock
  /** The hash of the block after it, if there is one: another one may be there by the time that the task runs. */
  readonly nextHash: Uint8Array | undefined
  readonly target: TraceTarget
  readonly options: TraceOptions
  /** The timeout for each transaction. */
  readonly timeoutMs: number
  /** The file for a text that is too long for memory; undefined if the target gives none. The sender removes it. */
  readonly spoolFile: SpoolFile | undefined
  readonly maxBytes: number
  readonly memoryLimit: number
}

export type TraceTaskResult =
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly size: number }
  | { readonly kind: 'roots'; readonly roots: readonly Uint8Array[] }
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'callEnds'; readonly updates: readonly PostingListUpdate[] }
