import type { NativeTime } from '../../comet/data/nativeBlock.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../../store/blockRows.ts'

/** The location of an Ethereum transaction in its native block. */
export interface NativeLocation {
  /** CometBFT's hash of the native transaction. */
  readonly nativeHash: Uint8Array
  /** The index of the native transaction in the block. */
  readonly nativeIndex: number
  /** The index of the message in the native transaction. */
  readonly messageIndex: number
}

export interface ConvertedTransaction extends ExecutedTransaction {
  readonly location: NativeLocation
}

/** A native transaction as the `cosmos` namespace returns it. */
export interface NativeTransactionInfo {
  readonly hash: Uint8Array
  /** The code of the native result: 0 is success, the inverse of a receipt's status. */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  /** The types of its messages; undefined for bytes that are not a transaction of the SDK. */
  readonly types: readonly string[] | undefined
  /** The indexes of its Ethereum transactions in the block. */
  readonly ethereumIndexes: readonly number[]
  /** Why its Ethereum messages are not understood, when the block was converted; it is not stored. */
  readonly undecoded?: string | undefined
  /** The events of a transaction that carries no Ethereum transaction; empty otherwise, as receipts have them. */
  readonly events: readonly TextEvent[]
}

/** The values from which the next base fee is computed exactly. */
export interface BlockFees {
  /** The base fee scaled by 10^18, in the chain's denomination; undefined if the block does not have it. */
  readonly decimalBaseFee: bigint | undefined
  /** The gas that the fee market counts (`block_gas`): gas wanted times a factor, or gas used. */
  readonly blockGas: bigint | undefined
  /** The gas limit of this block, and of the next one; -1 for no limit. */
  readonly maxGas: bigint
  readonly nextMaxGas: bigint
}

export interface NativeBlockInfo {
  /** CometBFT's hash. It is also the Ethereum hash, unless the family uses the hash of the Ethereum header. */
  readonly hash: Uint8Array
  readonly height: number
  readonly time: NativeTime
  /** The consensus address of the proposer. */
  readonly proposer: Uint8Array
  readonly transactions: readonly NativeTransactionInfo[]
  readonly fees: BlockFees
}

/**
 * A block of the chain behind the gateway as the store accepts it, with the native information that is stored beside
 * it.
 */
export interface ConvertedBlock extends ExecutedBlock {
  readonly transactions: readonly ConvertedTransaction[]
  readonly native: NativeBlockInfo
}
