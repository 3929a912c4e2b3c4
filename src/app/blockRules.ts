import type { Header } from '../chain/block/header.ts'
import type { BlobParameters } from '../chain/config/blobParameters.ts'
import { blobParametersAt, type ChainConfig, forkAt } from '../chain/config/chainConfig.ts'
import { type Fork, since } from '../chain/config/forks.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import { nextExcessBlobGas } from '../chain/fees/blobGas.ts'

/** The rules of a block that follow from the fork schedule and the parent, before execution. */
export interface BlockRules {
  readonly fork: Fork
  /** The base fee; zero before London. */
  readonly baseFee: bigint
  /** The blob parameters; undefined before Cancun. */
  readonly blobs: BlobParameters | undefined
  readonly excessBlobGas: bigint | undefined
}

/**
 * Returns the rules of the next block; `baseFee` is that of a block of a dev chain for which it was set. A difficulty of zero means that the block has no proof of work: it is past the
 * merge, or an engine produced it.
 */
export const rulesOfNextBlock = (
  config: ChainConfig,
  parent: Header,
  {
    timestamp,
    difficulty,
    baseFee,
  }: Pick<Header, 'timestamp' | 'difficulty'> & { readonly baseFee?: bigint | undefined },
): BlockRules => {
  const fork = forkAt(config, parent.number + 1n, timestamp, difficulty === 0n)
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, timestamp) : undefined
  return {
    fork,
    baseFee: since(fork, 'london') ? (baseFee ?? nextBaseFee(parent)) : 0n,
    blobs,
    excessBlobGas: blobs && nextExcessBlobGas(parent, fork, blobs),
  }
}
