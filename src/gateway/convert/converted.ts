import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../../store/blockRows.ts'
import type { NativeTime } from '../parse/native.ts'

/** Where an Ethereum transaction stands in its native block. */
export interface NativePlace {
  /** CometBFT's name of the native transaction. */
  readonly nativeHash: Uint8Array
  /** Among the native transactions of the block. */
  readonly nativeIndex: number
  /** Among the messages of the native transaction. */
  readonly messageIndex: number
}

export interface ConvertedTransaction extends ExecutedTransaction {
  readonly place: NativePlace
}

/** A native transaction as the `cosmos` namespace tells of it. */
export interface NativeTransactionFacts {
  readonly hash: Uint8Array
  /** The engine's code: 0 is success, and a receipt's status is the inverse of it. */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  /** The types of its messages; undefined for bytes that are no transaction of the SDK. */
  readonly types: readonly string[] | undefined
  /** The indexes of its transactions in the Ethereum block. */
  readonly ethereumIndexes: readonly number[]
  /** Of a transaction that is not an Ethereum one; those of the others are in their receipts. */
  readonly events: readonly TextEvent[]
}

/** What a block's fees come from, for the exact base fee of the next. */
export interface BlockFees {
  /** Times 10^18, in the chain's own unit; undefined where the block does not tell it. */
  readonly decimalBaseFee: bigint | undefined
  /** What the fee market counts: `block_gas`, the gas wanted times a factor or the gas used. */
  readonly blockGas: bigint | undefined
  /** Of this block and of the next: -1 for no limit. */
  readonly maxGas: bigint
  readonly nextMaxGas: bigint
}

export interface NativeFacts {
  /** CometBFT's. It is also the Ethereum hash, unless the family's blocks have that of their header. */
  readonly hash: Uint8Array
  readonly height: number
  readonly time: NativeTime
  /** The engine's address of who proposed the block. */
  readonly proposer: Uint8Array
  readonly transactions: readonly NativeTransactionFacts[]
  readonly fees: BlockFees
}

/** A block of the chain behind the gateway as the store takes it, and what the gateway keeps beside it. */
export interface ConvertedBlock extends ExecutedBlock {
  readonly transactions: readonly ConvertedTransaction[]
  readonly native: NativeFacts
}
