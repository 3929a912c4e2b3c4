import type { Header } from '../../chain/block/header.ts'
import { type ChainConfig, forkAt } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'

/** What the transactions of the next block must agree with, whatever the state. */
export interface ProposalRules {
  readonly height: bigint
  /** Seconds: the time of the block in its header. */
  readonly timestamp: bigint
  readonly fork: Fork
  readonly chainId: bigint
  readonly gasLimit: bigint
}

/** EIP-7934 bounds a block's RLP to 8 MiB; the header and the list around the transactions take little. */
export const maxBlockTransactionBytes = 8_000_000

/** `time` is the engine's, in whole seconds; a block's is never before its parent's, so it may repeat. */
export const toProposalRules = (config: ChainConfig, parent: Header, time: bigint): ProposalRules => {
  const height = parent.number + 1n
  const timestamp = time > parent.timestamp ? time : parent.timestamp
  return {
    height,
    timestamp,
    fork: forkAt(config, height, timestamp, true),
    chainId: config.chainId,
    gasLimit: parent.gasLimit,
  }
}
