import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { Header } from '../../chain/block/header.ts'
import { type ChainConfig, forkAt } from '../../chain/config/chainConfig.ts'
import type { PoolHead } from '../../pool/types.ts'

/** Returns the pool head for the block after `header`; if the next base fee is not known, that of `header` is used. */
export const toPoolHead = (config: ChainConfig, header: Header, baseFee: bigint | undefined): PoolHead => ({
  number: header.number,
  time: header.timestamp,
  gasLimit: header.gasLimit,
  baseFee: baseFee ?? header.baseFeePerGas ?? 0n,
  // Chains behind a gateway do not accept blob transactions.
  blobBaseFee: 0n,
  maxBlobs: 0,
  fork: forkAt(config, header.number + 1n, header.timestamp),
  chainId: config.chainId,
  limits: config.limits,
})

export interface PoolHeadUpdaterDependencies {
  /** Returns whether the store is syncing: the next base fee is not queried for each of many blocks then. */
  readonly isBehind: () => boolean
  readonly head: () => Header
  readonly nextBaseFee: () => MaybePromise<bigint | undefined>
  readonly updatePool: (header: Header, baseFee: bigint | undefined) => void
  readonly log: Logger
}

/**
 * Updates the pool with the newest head and the next base fee. Heads that come faster than the fee can be queried are
 * skipped.
 */
export class PoolHeadUpdater {
  readonly #dependencies: PoolHeadUpdaterDependencies
  #isUpdating = false
  #isStale = false
  #isClosed = false

  constructor(dependencies: PoolHeadUpdaterDependencies) {
    this.#dependencies = dependencies
  }

  onHead(): void {
    this.#isStale = true
    if (!this.#isUpdating) void this.#updateAll()
  }

  /** Stops updates: the store may be closed from now on. */
  close(): void {
    this.#isClosed = true
  }

  async #updateAll(): Promise<void> {
    this.#isUpdating = true
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false
      const { head, isBehind, nextBaseFee, updatePool, log } = this.#dependencies
      try {
        const header = head()
        const baseFee = isBehind() ? undefined : await nextBaseFee()
        if (!this.#isClosed) updatePool(header, baseFee)
      } catch (error) {
        if (this.#isClosed) return
        log.debug({ err: error }, 'the next base fee is not known: that of the head stands in for it')
        updatePool(head(), undefined)
      }
    }
    this.#isUpdating = false
  }
}
