import type { BlockRows } from '../../store/blockRows.ts'
import type { Commitments } from './nativeBlockInfo.ts'

/** A block that is about to be stored, with the values that its successor is checked against. */
export interface BlockWrite extends Commitments {
  readonly rows: BlockRows
  readonly number: number
  readonly time: number
  readonly nativeHash: Uint8Array
  /** The upstream that reported the results; undefined if the block was loaded from the store. */
  readonly node: string | undefined
  /** Whether the next header confirms its results and application hash. */
  readonly isConfirmed?: boolean | undefined
}
