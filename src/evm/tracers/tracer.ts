import type { Fork } from '../../chain/config/forks.ts'
import type { EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'
import type { Tracer } from '../types.ts'
import type { TraceOutput } from './output.ts'

/** The context of a traced transaction or call. */
export interface TraceContext {
  readonly fork: Fork
  /** The hash of the block; undefined for a call that is in no block. */
  readonly blockHash: Uint8Array | undefined
  readonly blockNumber: bigint | undefined
  readonly transactionHash: Uint8Array | undefined
  readonly transactionIndex: number
  /** The number of logs of the block before this transaction. */
  readonly logsBefore: number
  /**
   * Returns the deadline in milliseconds on the clock of `performance.now()`. The EVM checks it between
   * instructions.
   */
  readonly deadline: () => number
  /** The most bytes that a tracer may hold in memory until its result is written. */
  readonly memoryLimit: number
}

/** A tracer of one transaction that writes a result. */
export interface ResultTracer extends Tracer {
  /** Takes the state before the transaction and what it changed there, after its end and before the result. */
  changes?(before: EvmStateReader, changes: StateChanges): void
  /** Writes the result as JSON, once, after the transaction. */
  result(output: TraceOutput): void
  /**
   * Writes the elements of a result that is a list, without brackets, among those of other transactions. Returns whether
   * there were any.
   */
  writeValues?(output: TraceOutput, isFirst: boolean): boolean
  /** Releases the tracer's resources; the last call. */
  dispose?(): void
}

/**
 * Creates a tracer for one transaction; `config` is the client's `tracerConfig`. A tracer that streams writes
 * to `output`; all others write in `result`.
 */
export type TracerFactory = (config: unknown, context: TraceContext, output: TraceOutput) => ResultTracer

/**
 * The error for an invalid tracer or config, or a tracer that exceeded a limit; the client gets its message.
 */
export class TraceError extends Error {
  override readonly name = 'TraceError'
}
