import type { Fork } from '../../chain/config/forks.ts'
import type { Tracer } from '../types.ts'
import type { TraceOutput } from './output.ts'

/** What is traced, as far as a tracer can tell it. */
export interface TraceContext {
  readonly fork: Fork
  /** Undefined for a call that is in no block. */
  readonly blockHash: Uint8Array | undefined
  readonly blockNumber: bigint | undefined
  readonly transactionHash: Uint8Array | undefined
  readonly transactionIndex: number
  /** Logs of the block before this transaction. */
  readonly logsBefore: number
  /** Milliseconds on the clock of `performance.now()` after which nobody waits. The machine watches it between instructions. */
  readonly deadline: () => number
  /** What a tracer may hold in memory until its result is written, in bytes. */
  readonly memoryLimit: number
}

/** A tracer of one transaction, and its verdict. */
export interface ResultTracer extends Tracer {
  /** Writes the result as JSON, once, after the transaction. */
  result(output: TraceOutput): void
  /** Gives back what it holds; the last call. */
  dispose?(): void
}

/**
 * Makes a tracer for one transaction; `config` is the client's `tracerConfig`. A tracer that writes as it goes does so to
 * `output`; all others in `result`.
 */
export type TracerFactory = (config: unknown, context: TraceContext, output: TraceOutput) => ResultTracer

/** The tracer cannot be had so, or gave up; the client is told in these words. */
export class TraceError extends Error {
  override readonly name = 'TraceError'
}
