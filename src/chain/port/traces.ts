import type { BlockRef } from './blockRef.ts'
import type { CallQuestion } from './executor.ts'

/** How to trace. */
export interface TraceOptions {
  /** The name of a tracer, or a script; undefined: the opcode log. */
  readonly tracer: string | undefined
  readonly tracerConfig: unknown
  /** For each transaction; undefined: as the node is set. */
  readonly timeoutMs: number | undefined
  /** What the opcode log holds. */
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  /** Bytes of log, 0 for no limit. */
  readonly limit: number
  /** Members of geth's chain config in place of the chain's. */
  readonly overrides: Readonly<Record<string, unknown>> | undefined
}

/** The opcode log with all that it holds unasked. */
export const plainTraceOptions: TraceOptions = {
  tracer: undefined,
  tracerConfig: undefined,
  timeoutMs: undefined,
  enableMemory: false,
  disableStack: false,
  disableStorage: false,
  enableReturnData: false,
  limit: 0,
  overrides: undefined,
}

/** JSON text that may be too long to be held in memory. Whoever gets it lets go of it with `dispose`. */
export interface LongText {
  readonly size: number
  /** Undefined where it is in a file. */
  readonly bytes: Uint8Array | undefined
  read(): AsyncIterable<Uint8Array>
  dispose(): void
}

/** A call to trace, on the state after a block, or within it: before its transaction of this index. */
export interface TracedCall extends CallQuestion {
  readonly transactionIndex?: number | undefined
}

/** Runs again what ran, under the eyes of a tracer. Throws `ChainError`; what an aborted signal stops gives its room back. */
export interface Traces {
  transaction(hash: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<LongText>
  block(at: BlockRef, options: TraceOptions, signal: AbortSignal): Promise<LongText>
  /** A block from elsewhere, on the state of its parent. */
  encodedBlock(rlp: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<LongText>
  call(call: TracedCall, at: BlockRef, options: TraceOptions, signal: AbortSignal): Promise<LongText>
  /** The state root after each transaction of a block. */
  intermediateRoots(at: BlockRef, signal: AbortSignal): Promise<readonly Uint8Array[]>
  /** Writes a file for each transaction, or for the one that is named; their paths. */
  blockToFiles(
    at: BlockRef,
    only: Uint8Array | undefined,
    options: TraceOptions,
    signal: AbortSignal,
  ): Promise<readonly string[]>
}
