import type { MaybePromise } from '../../base/maybePromise.ts'
import type { BlockRef } from './blockRef.ts'

/** What gas costs. */
export interface Fees {
  /** Returns a tip, in wei, with which a transaction is likely to be in the next block. */
  suggestTip(): MaybePromise<bigint>
  /** Returns the base fee of the block after the head; undefined before London. */
  nextBaseFee(): MaybePromise<bigint | undefined>
  /** Returns the blob base fee of the head; undefined before Cancun. */
  blobBaseFee(): MaybePromise<bigint | undefined>
  /** Returns fewer blocks where there are no more, or no more are given at once. Percentiles rise from 0 to 100. */
  history(count: number, newest: BlockRef, percentiles: readonly number[] | undefined): Promise<FeeHistory>
}

export interface FeeHistory {
  readonly oldest: number
  /** One for each block, oldest first; base fees have one more: that of the block after the newest. */
  readonly baseFees: readonly bigint[]
  readonly gasUsedRatios: readonly number[]
  readonly blobBaseFees: readonly bigint[]
  readonly blobGasUsedRatios: readonly number[]
  /** Tips by the percentiles asked for; undefined where none were. */
  readonly rewards: readonly (readonly bigint[])[] | undefined
}
