import type { AppHead } from '../app/application.ts'
import type { Decision } from '../app/blockInputs.ts'
import { maxBlockTransactionBytes } from '../app/proposal/rules.ts'
import { concatBytes, fromBigInt } from '../base/bytes.ts'
import { keccak256 } from '../base/crypto.ts'
import type { Logger } from '../base/log.ts'
import { blobParametersAt, type ChainConfig } from '../chain/config/chainConfig.ts'
import type { EngineProducer } from '../engine/application.ts'
import type { BlockTimeRule } from '../engine/blockTime.ts'
import { poolHeadOf } from '../pool/head.ts'
import type { TransactionPool } from '../pool/pool.ts'
import type { PoolTransaction } from '../pool/types.ts'
import type { AppThread, Preview } from './application/thread.ts'

export interface ProducerOptions {
  readonly config: ChainConfig
  /** Where rewards go at first. */
  readonly coinbase: Uint8Array
  readonly minimumGasPrice: bigint
  readonly nextBlockTime: BlockTimeRule
}

export interface ProducerDependencies {
  readonly app: AppThread
  readonly pool: TransactionPool
  readonly head: () => AppHead
  /** The head moved: everybody reads from the new one on. */
  readonly onHead: (head: AppHead) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Logger
}

/** Fills blocks from the pool, whichever engine it is that asks. */
export class BlockProducer implements EngineProducer {
  readonly #options: ProducerOptions
  readonly #dependencies: ProducerDependencies
  /** Where the rewards of the next block go. */
  coinbase: Uint8Array

  constructor(options: ProducerOptions, dependencies: ProducerDependencies) {
    this.coinbase = options.coinbase
    this.#options = options
    this.#dependencies = dependencies
  }

  hasWork(): boolean {
    return this.select().next().done !== true
  }

  /** Makes the next block and follows it; the number of its transactions. */
  async makeBlock(): Promise<number> {
    const { app, pool, onHead, now, log } = this.#dependencies
    const made = await app.makeBlock(this.#decide(), [...this.select()])
    onHead(made)
    pool.onHead(poolHeadOf(this.#options.config, made.header, Math.floor(now() / 1000)), made)
    for (const { hash, reason } of made.rejected) {
      // Its place in the pool was wrong; left there it would be tried again and again.
      log.warn({ hash: Buffer.from(hash).toString('hex'), reason }, 'a transaction of the pool was invalid')
      pool.remove(hash)
    }
    return made.included.length
  }

  /** The block that would come now, and the pool's transactions in it. */
  async preview(): Promise<{ readonly preview: Preview; readonly transactions: readonly PoolTransaction[] }> {
    const selected = [...this.select()]
    const preview = await this.#dependencies.app.previewBlock(this.#decide(), selected)
    const included = new Set(preview.included.map((hash) => Buffer.from(hash).toString('hex')))
    const transactions = selected.filter(({ hash }) => included.has(Buffer.from(hash).toString('hex')))
    return { preview, transactions }
  }

  #decide(): Decision {
    const { header, hash } = this.#dependencies.head()
    const time = this.#nextTime()
    // The solo engine has no block of its own to hash: the parent and the time say all that it decides.
    const engineHash = keccak256(concatBytes(hash, fromBigInt(BigInt(time), 8)))
    return { time, beneficiary: this.coinbase, engineHash, gasLimit: header.gasLimit }
  }

  #nextTime(): number {
    const { head, now } = this.#dependencies
    return this.#options.nextBlockTime(Number(head().header.timestamp), now())
  }

  /** The pool's transactions for the next block, best first; to be read before the pool changes. */
  select(): Generator<PoolTransaction, void> {
    const { pool } = this.#dependencies
    const { baseFee, blobBaseFee, gasLimit } = pool.head
    const { minimumGasPrice } = this.#options
    return pool.select({
      baseFee,
      blobBaseFee,
      minTip: minimumGasPrice > baseFee ? minimumGasPrice - baseFee : 0n,
      gasLimit,
      maxBytes: maxBlockTransactionBytes,
      maxBlobs: blobParametersAt(this.#options.config, BigInt(this.#nextTime()))?.max ?? 0,
    })
  }
}
