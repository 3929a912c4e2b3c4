import type { Header } from '../chain/block/header.ts'
import { blobParametersAt, type ChainConfig, forkAt } from '../chain/config/chainConfig.ts'
import { type Fork, since } from '../chain/config/forks.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import { type BlobParameters, nextExcessBlobGas } from '../chain/fees/blobGas.ts'

/** What the schedule and the parent say of a block before it is executed. */
export interface BlockRules {
  readonly fork: Fork
  /** Zero before London. */
  readonly baseFee: bigint
  /** Undefined before Cancun. */
  readonly blobs: BlobParameters | undefined
  readonly excessBlobGas: bigint | undefined
}

/** A difficulty of zero says that no work was done for the block: it is past the merge, or an engine made it. */
export const rulesOfNextBlock = (
  config: ChainConfig,
  parent: Header,
  { timestamp, difficulty }: Pick<Header, 'timestamp' | 'difficulty'>,
): BlockRules => {
  const fork = forkAt(config, parent.number + 1n, timestamp, difficulty === 0n)
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, timestamp) : undefined
  return {
    fork,
    baseFee: since(fork, 'london') ? nextBaseFee(parent) : 0n,
    blobs,
    excessBlobGas: blobs && nextExcessBlobGas(parent, fork, blobs),
  }
}
