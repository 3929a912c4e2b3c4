import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { Waiter } from '../../base/async/waiter.ts'
import type { BlockRef } from './blockRef.ts'

/** Who waits for a response and counts the memory that it takes; `hold` throws if too much is under way. */
export interface HoldingWaiter {
  readonly signal: AbortSignal
  hold(bytes: number): void
}

/** Base fees, tips and the fee history of the chain, in wei. */
export interface Fees {
  /** Returns a tip, in wei, with which a transaction is likely to be in the next block. */
  suggestTip(): MaybePromise<bigint>
  /** Returns the base fee of the block after the head; undefined before London. */
  nextBaseFee(): MaybePromise<bigint | undefined>
  /** Returns the blob base fee of the head; undefined before Cancun. */
  blobBaseFee(): MaybePromise<bigint | undefined>
  /**
   * Returns the fees of up to `count` blocks; fewer if the chain has fewer, or if more than the limit are
   * requested. Percentiles rise from 0 to 100.
   */
  history(
    count: number,
    newest: BlockRef,
    percentiles: readonly number[] | undefined,
    waiter: Waiter | HoldingWaiter,
  ): Promise<FeeHistory>
}

export interface FeeHistory {
  readonly oldest: number
  /**
   * The values of each block, oldest first; the base fees have one more, that of the block after the newest.
   */
  readonly baseFees: readonly bigint[]
  readonly gasUsedRatios: readonly number[]
  readonly blobBaseFees: readonly bigint[]
  readonly blobGasUsedRatios: readonly number[]
  /** The effective tips at the requested percentiles; undefined if none were requested. */
  readonly rewards: readonly (readonly bigint[])[] | undefined
}
