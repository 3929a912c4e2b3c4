import type { Logger } from '../../base/log.ts'
import type { MaybePromise } from '../../base/maybePromise.ts'
import type { Header } from '../../chain/block/header.ts'
import { type ChainConfig, forkAt } from '../../chain/config/chainConfig.ts'
import type { PoolHead } from '../../pool/types.ts'

/** The rules and prices of the block after this one; where the next base fee is not known, this one's stands in for it. */
export const poolHeadOf = (config: ChainConfig, header: Header, baseFee: bigint | undefined): PoolHead => ({
  number: header.number,
  time: header.timestamp,
  gasLimit: header.gasLimit,
  baseFee: baseFee ?? header.baseFeePerGas ?? 0n,
  // No such chain takes blobs.
  blobBaseFee: 0n,
  fork: forkAt(config, header.number + 1n, header.timestamp),
  chainId: config.chainId,
})

export interface PoolFollowerDependencies {
  /** Blocks come in by the thousand: their fees are not asked for. */
  readonly isBehind: () => boolean
  readonly head: () => Header
  readonly nextBaseFee: () => MaybePromise<bigint | undefined>
  readonly tell: (header: Header, baseFee: bigint | undefined) => void
  readonly log: Logger
}

/** Tells the pool of the newest block, with the fee of the next one; of blocks that come faster than that, the last. */
export class PoolFollower {
  readonly #dependencies: PoolFollowerDependencies
  #isTelling = false
  #isStale = false

  constructor(dependencies: PoolFollowerDependencies) {
    this.#dependencies = dependencies
  }

  onHead(): void {
    this.#isStale = true
    if (!this.#isTelling) void this.#tellAll()
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true
    while (this.#isStale) {
      this.#isStale = false
      const { head, isBehind, nextBaseFee, tell, log } = this.#dependencies
      try {
        const header = head()
        tell(header, isBehind() ? undefined : await nextBaseFee())
      } catch (error) {
        log.debug({ err: error }, 'the next base fee is not known: that of the head stands in for it')
        tell(head(), undefined)
      }
    }
    this.#isTelling = false
  }
}
