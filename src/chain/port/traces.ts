import type { BlockRef } from './blockRef.ts'
import type { CallQuery } from './calls.ts'
import type { CallRequest } from './executor.ts'

/** The options of a trace. */
export interface TraceOptions {
  /** The name of a tracer or a script; undefined for the opcode log. */
  readonly tracer: string | undefined
  readonly tracerConfig: unknown
  /** The time limit of each transaction; undefined for the node's setting. */
  readonly timeoutMs: number | undefined
  /** The parts of each step that the opcode log includes. */
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  /** The largest size of the log in bytes; 0 for no limit. */
  readonly limit: number
  /** Members of geth's chain config that replace those of the chain. */
  readonly overrides: Readonly<Record<string, unknown>> | undefined
  /**
   * How the results of a block's transactions are listed: the results themselves, or the elements of results that are
   * lists; undefined for geth's entries with the hash of the transaction.
   */
  readonly listing?: TraceListing | undefined
}

export type TraceListing = 'results' | 'elements'

/** The opcode log with the parts that it includes by default. */
export const defaultTraceOptions: TraceOptions = {
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

/** JSON text that may be too long for memory. The receiver releases it with `dispose`. */
export interface StreamedJson {
  readonly size: number
  /** The text if it is in memory; undefined if it is in a file. */
  readonly bytes: Uint8Array | undefined
  read(): AsyncIterable<Uint8Array>
  dispose(): void
}

/** A call to trace on the state after a block, or before the transaction `transactionIndex` of that block. */
export interface TracedCall extends CallRequest {
  readonly transactionIndex?: number | undefined
  /**
   * Calls that follow, each on the state after the one before, with the config of its tracer; the result is then the list
   * of all results.
   */
  readonly following?: readonly FollowingCall[] | undefined
}

export interface FollowingCall {
  readonly request: CallRequest['request']
  readonly tracerConfig: unknown
}

/** Which traces of a range of blocks are wanted. */
export interface TraceQuery extends CallQuery {
  /** The most traces that are wanted, from the first on; undefined for all. */
  readonly limit: number | undefined
}

/**
 * Executes transactions and calls again with a tracer. Methods throw a `ChainError`; an aborted signal stops
 * the execution and releases its memory.
 */
export interface Tracing {
  transaction(hash: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson>
  block(at: BlockRef, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson>
  /** Traces a block that need not be in the chain, on the state of its parent. */
  encodedBlock(rlp: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson>
  call(call: TracedCall, at: BlockRef, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson>
  /** Returns the state root after each transaction of a block. */
  intermediateRoots(at: BlockRef, signal: AbortSignal): Promise<readonly Uint8Array[]>
  /**
   * Returns what a block's execution reads, as trie nodes, code and headers from which somebody without the state can execute
   * it again.
   */
  witness(at: BlockRef, signal: AbortSignal): Promise<StreamedJson>
  /**
   * Returns the matching traces of the blocks of a range that another node has, as a JSON list, and the last of these blocks;
   * undefined if no block of the range is there. Not implemented by chains that trace every block themselves.
   */
  filterElsewhere?(
    query: TraceQuery,
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<{ readonly last: number; readonly json: Uint8Array }> | undefined
  /** Writes a file for each transaction, or for the one with the hash `only`, and returns the paths. */
  blockToFiles(
    at: BlockRef,
    only: Uint8Array | undefined,
    options: TraceOptions,
    signal: AbortSignal,
  ): Promise<readonly string[]>
}
