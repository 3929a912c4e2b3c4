import type { Header } from '../../chain/block/header.ts'
import { type ChainConfig, forkAt, hasFullBlocks } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { ChainLimits } from '../../chain/config/limits.ts'

/** The rules for the transactions of the next block that do not depend on the state. */
export interface ProposalRules {
  readonly height: bigint
  /** The time in the header of the block, in seconds. */
  readonly timestamp: bigint
  readonly fork: Fork
  readonly chainId: bigint
  readonly limits: ChainLimits
  readonly gasLimit: bigint
  /** Whether the block's gas limit bounds the gas that is used, and not the gas limits of a proposal together. */
  readonly fullBlocks: boolean
}

/**
 * How many times the block's gas the gas limits of a proposal may sum to with `fullBlocks`
 * (docs/decisions/0099-proposals-filled-by-use.md). With Ethereum's limits they never do: 16,777,216 / 21,000 is 799.
 */
export const maxLimitsPerGas = 1_000n

/**
 * The maximum size of a block's transactions. EIP-7934 limits the RLP of a block to 8 MiB; the header and the lists
 * need little.
 */
export const maxBlockTransactionBytes = 8_000_000

/**
 * The largest number of entries of a block. No real block has as many, because an entry is over a hundred bytes long;
 * a block of empty ones would cost memory for each.
 */
export const maxBlockEntries = 100_000

/**
 * Returns the rules of the next block. `time` is the engine's, in whole seconds. The time of a block is never before
 * its parent's, so it may repeat.
 */
export const toProposalRules = (config: ChainConfig, parent: Header, time: bigint): ProposalRules => {
  const height = parent.number + 1n
  const timestamp = time > parent.timestamp ? time : parent.timestamp
  return {
    height,
    timestamp,
    fork: forkAt(config, height, timestamp, true),
    chainId: config.chainId,
    limits: config.limits,
    gasLimit: parent.gasLimit,
    fullBlocks: hasFullBlocks(config, timestamp),
  }
}
