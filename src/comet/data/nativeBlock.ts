import type { TextEvent } from '../../cosmos/results/textEvent.ts'

/**
 * The native chain as a node returns it: CometBFT's blocks and results, checked for their form and otherwise unchanged.
 * `convert/` gives them their meaning for Ethereum.
 */

/** A time with nanoseconds, as in a CometBFT header. */
export interface NativeTime {
  readonly seconds: bigint
  readonly nanos: number
}

export interface NativeBlockId {
  /** The hash; empty if there is no previous block. */
  readonly hash: Uint8Array
  readonly partsTotal: number
  readonly partsHash: Uint8Array
}

/** All fields that the hash of a header covers. */
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
  /** The application hash after the previous block. */
  readonly appHash: Uint8Array
  /** The hash of the results of the previous block. */
  readonly lastResultsHash: Uint8Array
  readonly evidenceHash: Uint8Array
  readonly proposerAddress: Uint8Array
}

export interface NativeBlock {
  /** The hash that the node reports; `verify/` checks it against the header. */
  readonly hash: Uint8Array
  readonly header: NativeHeader
  readonly transactions: readonly Uint8Array[]
}

export interface NativeResult {
  /** CometBFT's Merkle leaf of the result, if it was computed before parts of `data` were dropped. */
  readonly leaf?: Uint8Array
  readonly code: number
  readonly codespace: string
  readonly data: Uint8Array
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly TextEvent[]
}

export interface NativeBlockResults {
  readonly height: number
  readonly transactions: readonly NativeResult[]
  /** The events of the block: `finalize_block_events`, or those of BeginBlock followed by those of EndBlock. */
  readonly events: readonly TextEvent[]
  /** The new `block.max_gas`; undefined if the block did not change it for its successors. */
  readonly nextMaxGas: bigint | undefined
  /** The application hash after this block; undefined if this version of CometBFT does not report it. */
  readonly appHash: Uint8Array | undefined
}
