import type { TextEvent } from '../../cosmos/results/textEvent.ts'

/**
 * A chain as its own node gives it: CometBFT's blocks and results, checked for their form and otherwise as they came.
 * What they mean to Ethereum is said in `convert/`.
 */

/** A point in time as a CometBFT header has it. */
export interface NativeTime {
  readonly seconds: bigint
  readonly nanos: number
}

export interface NativeBlockId {
  /** Empty for the block before the first. */
  readonly hash: Uint8Array
  readonly partsTotal: number
  readonly partsHash: Uint8Array
}

/** Every field that the hash of a header is made of. */
export interface NativeHeader {
  readonly versionBlock: bigint
  readonly versionApp: bigint
  readonly chainId: string
  readonly height: number
  readonly time: NativeTime
  readonly lastBlockId: NativeBlockId
  readonly lastCommitHash: Uint8Array
  readonly dataHash: Uint8Array
  readonly validatorsHash: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly consensusHash: Uint8Array
  /** What the application says after the block before this one. */
  readonly appHash: Uint8Array
  /** Of the results of the block before this one. */
  readonly lastResultsHash: Uint8Array
  readonly evidenceHash: Uint8Array
  readonly proposerAddress: Uint8Array
}

export interface NativeBlock {
  /** As the node says; that the header has this hash is for `verify/` to say. */
  readonly hash: Uint8Array
  readonly header: NativeHeader
  readonly transactions: readonly Uint8Array[]
}

export interface NativeResult {
  readonly code: number
  readonly codespace: string
  readonly data: Uint8Array
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly TextEvent[]
}

export interface NativeResults {
  readonly height: number
  readonly transactions: readonly NativeResult[]
  /** Of the block: finalize_block_events, or those of its begin and then of its end. */
  readonly events: readonly TextEvent[]
  /** `block.max_gas` where the block changed it for those after it. */
  readonly nextMaxGas: bigint | undefined
  /** What the application said after this block; undefined where the version does not tell. */
  readonly appHash: Uint8Array | undefined
}
