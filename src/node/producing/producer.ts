import type { AppHead } from '../../app/appHead.ts'
import { type BlockAttributes, soloEngineHash } from '../../app/blockInputs.ts'
import type { RecoveredTransaction } from '../../app/packing.ts'
import { maxBlockTransactionBytes } from '../../app/proposal/rules.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'
import { beginStage, endStage, hasStageListener, tellStage } from '../../base/profiling/stages.ts'
import { type ChainError, toThrownChainError } from '../../chain/chainError.ts'
import { blobParametersAt, type ChainConfig } from '../../chain/config/chainConfig.ts'
import type { EngineProducer } from '../../engine/application.ts'
import { AskedGas } from '../../engine/blocks/askedGas.ts'
import type { BlockTimeRule } from '../../engine/blocks/blockTime.ts'
import type { NextBlock } from '../../engine/blocks/nextBlock.ts'
import type { BlockPrices } from '../../pool/order/prices.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolHead, PoolTransaction } from '../../pool/types.ts'
import type { AppThread, ProducedBlock } from '../application/thread.ts'
import { findWronglyPooled } from './wronglyPooled.ts'

export interface ProducerOptions {
  readonly config: ChainConfig
  /** The first recipient of tips, until it is changed. */
  readonly coinbase: Uint8Array
  readonly minimumGasPrice: bigint
  readonly nextBlockTime: BlockTimeRule
}

/** The content of a block before its execution. */
interface BlockProposal {
  readonly attributes: BlockAttributes
  readonly transactions: readonly RecoveredTransaction[]
}

export interface ProducerDependencies {
  readonly app: Pick<AppThread, 'produceBlock' | 'produceEmptyBlocks'>
  readonly pool: TransactionPool
  readonly head: () => AppHead
  /** Called when the head changes. */
  readonly onHead: (head: AppHead) => void
  /** Called when a block could not be made, so that nobody waits for it. */
  readonly onFailed?: () => void
  /** Called with why a transaction can be in no block, before it leaves the pool. */
  readonly onRefused?: (transaction: Uint8Array, error: ChainError) => void
  /** Called before with the number of a block in which a contract called the console. */
  readonly onConsoleUsed: (number: number) => void
  /** Returns the rules and prices of the next block after the head. */
  readonly poolHead: () => PoolHead
  /** What clients of a dev chain set for the next block. */
  readonly nextBlock: NextBlock
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly log: Logger
}

/** Produces blocks from the pool, for any engine. */
export class BlockProducer implements EngineProducer {
  readonly #options: ProducerOptions
  readonly #dependencies: ProducerDependencies
  readonly #askedGas = new AskedGas()
  /** The recipient of the next block's tips. */
  coinbase: Uint8Array

  constructor(options: ProducerOptions, dependencies: ProducerDependencies) {
    this.coinbase = options.coinbase
    this.#options = options
    this.#dependencies = dependencies
  }

  /** A number that changes when clients of a dev chain change something about the next block. */
  get version(): number {
    return this.#dependencies.nextBlock.version
  }

  hasTransactions(): boolean {
    return this.select().next().done !== true
  }

  /** Produces the next block, makes it the head and returns the number of its transactions. */
  async produceBlock(): Promise<number> {
    const proposal = this.propose()
    const { included, header } = await this.#produce(proposal)
    // Usually all of them are in it.
    const isIn =
      included.length < proposal.transactions.length
        ? new Set(included.map((hash) => toHex(hash)))
        : undefined
    const asked = proposal.transactions.reduce(
      (sum, { id, transaction }) => (isIn?.has(id) === false ? sum : sum + transaction.gasLimit),
      0n,
    )
    this.#askedGas.note(asked, header.gasUsed)
    return included.length
  }

  /** Does the same with given transactions in the place of the pool's. */
  async produceBlockOf(transactions: readonly RecoveredTransaction[]): Promise<number> {
    const { included } = await this.#produce({ attributes: this.#decide(this.nextTime()), transactions })
    return included.length
  }

  /** Produces empty blocks at these times in one commit, and makes the last one the head. */
  async produceEmptyBlocks(times: readonly number[]): Promise<void> {
    const { app, pool, onHead, poolHead } = this.#dependencies
    onHead(await app.produceEmptyBlocks(times, this.coinbase))
    pool.onHead(poolHead(), { included: [], changed: [] })
  }

  /**
   * Has a block produced. A transaction that needs what a remote chain does not tell is dropped, and the block produced without it:
   * it would stop every block.
   */
  async #tryProduce({ attributes, transactions }: BlockProposal): Promise<ProducedBlock> {
    const { app, pool, onFailed, onRefused, log } = this.#dependencies
    try {
      return await app.produceBlock(attributes, transactions)
    } catch (error) {
      const known = toThrownChainError(error)
      const at = known?.isLasting
        ? transactions.findIndex(({ hash }) => toHex(hash) === known.transaction)
        : -1
      const failed = transactions[at]
      if (known === undefined || failed === undefined) {
        onFailed?.()
        throw known ?? error
      }
      onRefused?.(failed.hash, known)
      log.warn(
        { hash: known.transaction, reason: known.message },
        'dropped a transaction that cannot be executed',
      )
      pool.remove(failed.hash)
      // What follows it of its sender waits for another one in its place.
      const rest = transactions.filter(
        ({ sender }, index) => index < at || !equalBytes(sender, failed.sender),
      )
      return this.#tryProduce({ attributes, transactions: rest })
    }
  }

  async #produce(proposal: BlockProposal): Promise<ProducedBlock> {
    const { pool, nextBlock, onHead, onConsoleUsed, poolHead, log } = this.#dependencies
    const { transactions } = proposal
    const { overrides } = nextBlock
    const begun = beginStage()
    const produced = await this.#tryProduce(proposal)
    const made = endStage('hand over', begun, transactions.length, 'wait')
    // They were for this block, unless they were set while it was made.
    if (nextBlock.overrides === overrides) nextBlock.replace({})
    if (produced.isConsoleUsed) onConsoleUsed(Number(produced.header.number))
    onHead(produced)
    pool.onHead(poolHead(), produced)
    for (const { hash, reason } of findWronglyPooled(transactions, produced)) {
      const pooled = pool.get(hash)
      // What is still pending would be tried again and again. What the new head has queued or parked may run later.
      if (pooled !== undefined && pool.isPending(pooled) && pool.remove(hash))
        log.warn({ hash: toHex(hash), reason }, 'dropped an invalid transaction from the pool')
    }
    endStage('tell', made, produced.included.length)
    return produced
  }

  /**
   * Returns the content of the block that would be produced now. Its time is read first: a fork that begins in between
   * forbids nothing in this block that the selection allows but what the EVM rejects itself.
   */
  propose(): {
    readonly attributes: BlockAttributes
    readonly transactions: readonly PoolTransaction[]
  } {
    const time = this.nextTime()
    const begun = beginStage()
    const transactions = [...this.#select(time)]
    endStage('select', begun, transactions.length)
    if (hasStageListener()) this.#tellWaits(transactions)
    return { attributes: this.#decide(time), transactions }
  }

  #tellWaits(transactions: readonly PoolTransaction[]): void {
    const milliseconds = transactions.reduce((sum, tx) => sum + this.#dependencies.pool.ageOf(tx), 0)
    tellStage({ stage: 'wait for a block', kind: 'wait', milliseconds, transactions: transactions.length })
  }

  #decide(time: number): BlockAttributes {
    const { head, nextBlock } = this.#dependencies
    const { header, hash } = head()
    const { baseFee, prevRandao, gasLimit = header.gasLimit } = nextBlock.overrides
    const engineHash = prevRandao ?? soloEngineHash(hash, time)
    return { time, beneficiary: this.coinbase, engineHash, gasLimit, baseFee }
  }

  /** Returns the time that a block would have if it were made now. */
  nextTime(): number {
    const { head, now } = this.#dependencies
    return this.#options.nextBlockTime(Number(head().header.timestamp), now())
  }

  select(gasLimit?: bigint): Generator<PoolTransaction, void> {
    return this.#select(this.nextTime(), gasLimit)
  }

  /** Returns what a transaction must pay to be in the next block. */
  prices(): BlockPrices {
    const { baseFee, blobBaseFee } = this.#dependencies.pool.head
    const { minimumGasPrice } = this.#options
    return { baseFee, blobBaseFee, minTip: minimumGasPrice > baseFee ? minimumGasPrice - baseFee : 0n }
  }

  #select(time: number, gasLimit?: bigint): Generator<PoolTransaction, void> {
    const { pool } = this.#dependencies
    pool.renewRules()
    return pool.select({
      ...this.prices(),
      gasLimit: gasLimit ?? this.#askedGas.limitFor(pool.head.gasLimit),
      maxBytes: maxBlockTransactionBytes,
      maxBlobs: blobParametersAt(this.#options.config, BigInt(time))?.max ?? 0,
    })
  }
}
