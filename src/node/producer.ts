import type { AppHead } from '../app/application.ts'
import { type BlockAttributes, soloEngineHash } from '../app/blockInputs.ts'
import type { RecoveredTransaction } from '../app/packing.ts'
import { maxBlockTransactionBytes } from '../app/proposal/rules.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import type { Logger } from '../base/logging/log.ts'
import { beginStage, endStage, hasStageListener, tellStage } from '../base/profiling/stages.ts'
import { type ChainError, toThrownChainError } from '../chain/chainError.ts'
import { blobParametersAt, type ChainConfig } from '../chain/config/chainConfig.ts'
import type { EngineProducer } from '../engine/application.ts'
import type { BlockTimeRule } from '../engine/blockTime.ts'
import type { NextBlock } from '../engine/nextBlock.ts'
import type { BlockPrices } from '../pool/order/prices.ts'
import type { TransactionPool } from '../pool/pool.ts'
import type { PoolHead, PoolTransaction } from '../pool/types.ts'
import type { AppThread, ProducedBlock } from './application/thread.ts'
import { AskedGas } from './askedGas.ts'
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
  readonly parentHash: Uint8Array
  readonly transactions: readonly RecoveredTransaction[]
}

export interface ProducerDependencies {
  readonly app: Pick<AppThread, 'produceBlock' | 'produceEmptyBlocks' | 'tellWaiting'>
  readonly pool: TransactionPool
  readonly head: () => AppHead
  /** Called when the head changes. */
  readonly onHead: (head: AppHead) => void
  /**
   * Called with why a block could not be made for reasons outside of this process, so that nobody waits for it; or why one
   * transaction is left out.
   */
  readonly onFailed?: (error: ChainError, transaction?: Uint8Array) => void
  /** Called before with the number of a block in which a contract called the console. */
  readonly onConsoleUsed: (number: number) => void
  /** Returns the rules and prices of the block after a head, by default the chain's. */
  readonly poolHead: (after?: AppHead) => PoolHead
  /** What clients of a dev chain set for the next block. */
  readonly nextBlock: NextBlock
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly log: Logger
}

/** A block that is made and not yet on the disk, on which the next one may be made. */
interface UnsyncedBlock {
  readonly head: AppHead
  readonly poolHead: PoolHead
  /** The next nonces of its senders, by their addresses as DATA. */
  readonly nonces: ReadonlyMap<string, bigint>
}

/** Called with a block that is executed while it is on its way to the disk. */
type UnsyncedListener = (produced: AppHead) => void

/** Produces blocks from the pool, for any engine. */
export class BlockProducer implements EngineProducer {
  readonly #options: ProducerOptions
  readonly #dependencies: ProducerDependencies
  readonly #askedGas = new AskedGas()
  #unsynced: UnsyncedBlock | undefined
  /** The number of transactions in blocks under way. */
  #underWay = 0
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
    const after = this.#unsynced
    return this.#select(this.nextTime(after?.head), after).next().done !== true
  }

  /** The number of transactions that wait for a block and are in none under way. */
  get waiting(): number {
    return Math.max(0, this.#dependencies.pool.counts.pending - this.#underWay)
  }

  /** Tells the application how many transactions wait for the block after the one under way. */
  tellWaiting(): void {
    this.#dependencies.app.tellWaiting(this.waiting)
  }

  /**
   * Produces the next block, makes it the head and returns the number of its transactions. `onExecuted` is called if the one
   * after it can be produced while it is on its way to the disk, which is what the next call does until then.
   */
  async produceBlock(onExecuted?: () => void): Promise<number> {
    const proposal = this.#propose(this.#unsynced)
    const onUnsynced = (produced: AppHead): void => {
      try {
        this.#buildOn(produced, proposal.transactions)
        if (this.#unsynced !== undefined) onExecuted?.()
      } catch (error) {
        // The block itself is made whatever becomes of the next.
        this.#dependencies.log.error({ err: error }, 'failed to begin a block')
      }
    }
    const { included, header } = await this.#produce(proposal, onExecuted && onUnsynced)
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
    const attributes = this.#decide(this.nextTime())
    const parentHash = this.#dependencies.head().hash
    const { included } = await this.#produce({ attributes, transactions, parentHash })
    return included.length
  }

  /** Produces empty blocks at these times in one commit, and makes the last one the head. */
  async produceEmptyBlocks(times: readonly number[]): Promise<void> {
    const { app, pool, onHead, poolHead } = this.#dependencies
    onHead(await app.produceEmptyBlocks(times, this.coinbase))
    pool.onHead(poolHead(), { included: [], changed: [] })
  }

  /**
   * Has a block made. A transaction that needs what a remote chain does not tell is dropped, and the block made without it:
   * it would stop every block.
   */
  async #make({ attributes, transactions, parentHash }: BlockProposal): Promise<ProducedBlock> {
    const { app, pool, onFailed, log } = this.#dependencies
    try {
      return await app.produceBlock(attributes, transactions, parentHash)
    } catch (error) {
      const known = toThrownChainError(error)
      if (known === undefined) throw error
      const at = known.isLasting
        ? transactions.findIndex(({ hash }) => toHex(hash) === known.transaction)
        : -1
      const failed = transactions[at]
      if (failed === undefined) {
        onFailed?.(known)
        throw known
      }
      onFailed?.(known, failed.hash)
      log.warn(
        { hash: known.transaction, reason: known.message },
        'dropped a transaction that cannot be executed',
      )
      pool.remove(failed.hash)
      // What follows it of its sender waits for another one in its place.
      const rest = transactions.filter(
        ({ sender }, index) => index < at || !equalBytes(sender, failed.sender),
      )
      return this.#make({ attributes, transactions: rest, parentHash })
    }
  }

  async #produce(proposal: BlockProposal, onUnsynced?: UnsyncedListener): Promise<ProducedBlock> {
    const count = proposal.transactions.length
    this.#underWay += count
    try {
      if (onUnsynced === undefined) this.#dependencies.app.tellWaiting(0)
      else this.tellWaiting()
      return await this.#makeHead(proposal, onUnsynced)
    } finally {
      this.#underWay -= count
    }
  }

  /** Has the next blocks be produced on top of one that is not yet on the disk. */
  #buildOn(head: AppHead, transactions: readonly PoolTransaction[]): void {
    const { nextBlock, poolHead } = this.#dependencies
    // What was set for a block is settled before the next.
    if (Object.keys(nextBlock.overrides).length > 0) return
    const nonces = new Map(
      transactions.map(({ sender, transaction }) => [toHex(sender), transaction.nonce + 1n]),
    )
    this.#unsynced = { head, poolHead: poolHead(head), nonces }
  }

  async #makeHead(proposal: BlockProposal, onUnsynced?: UnsyncedListener): Promise<ProducedBlock> {
    const { pool, nextBlock, onHead, onConsoleUsed, poolHead, log } = this.#dependencies
    const { transactions } = proposal
    const { overrides } = nextBlock
    const begun = beginStage()
    const produced = await this.#make(proposal)
    const { synced, included } = produced
    // What is left out of a block is settled before the next.
    if (synced !== undefined && included.length === transactions.length) onUnsynced?.(produced)
    try {
      await synced
    } finally {
      if (this.#unsynced?.head === produced) this.#unsynced = undefined
    }
    const made = endStage('hand over', begun, transactions.length, 'wait')
    // They were for this block, unless they were set while it was made.
    if (nextBlock.overrides === overrides) nextBlock.replace({})
    if (produced.isConsoleUsed) onConsoleUsed(Number(produced.header.number))
    onHead(produced)
    pool.onHead(poolHead(), produced)
    // If they stayed, they would be tried again and again.
    for (const { hash, reason } of findWronglyPooled(transactions, produced)) {
      if (pool.remove(hash))
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
    return this.#propose(undefined)
  }

  #propose(after: UnsyncedBlock | undefined) {
    const head = after?.head ?? this.#dependencies.head()
    const time = this.nextTime(head)
    const begun = beginStage()
    const transactions = [...this.#select(time, after)]
    endStage('select', begun, transactions.length)
    if (hasStageListener()) this.#tellWaits(transactions)
    return { attributes: this.#decide(time, head), transactions, parentHash: head.hash }
  }

  #tellWaits(transactions: readonly PoolTransaction[]): void {
    const milliseconds = transactions.reduce((sum, tx) => sum + this.#dependencies.pool.ageOf(tx), 0)
    tellStage({ stage: 'wait for a block', kind: 'wait', milliseconds, transactions: transactions.length })
  }

  #decide(time: number, { header, hash }: AppHead = this.#dependencies.head()): BlockAttributes {
    const { nextBlock } = this.#dependencies
    const { baseFee, prevRandao, gasLimit = header.gasLimit } = nextBlock.overrides
    const engineHash = prevRandao ?? soloEngineHash(hash, time)
    return { time, beneficiary: this.coinbase, engineHash, gasLimit, baseFee }
  }

  /** Returns the time that a block would have if it were made now. */
  nextTime({ header }: AppHead = this.#dependencies.head()): number {
    return this.#options.nextBlockTime(Number(header.timestamp), this.#dependencies.now())
  }

  /** Returns the pool's transactions for the next block, best first. They must be read before the pool changes. */
  select(): Generator<PoolTransaction, void> {
    return this.#select(this.nextTime())
  }

  /** Returns what a transaction has to pay to be in the next block. */
  prices({ baseFee, blobBaseFee }: PoolHead = this.#dependencies.pool.head): BlockPrices {
    const { minimumGasPrice } = this.#options
    return { baseFee, blobBaseFee, minTip: minimumGasPrice > baseFee ? minimumGasPrice - baseFee : 0n }
  }

  #select(time: number, after?: UnsyncedBlock): Generator<PoolTransaction, void> {
    const { pool } = this.#dependencies
    pool.renewRules()
    const head = after?.poolHead ?? pool.head
    return pool.select({
      ...this.prices(head),
      fromNonce: after && ((sender) => after.nonces.get(sender)),
      gasLimit: this.#askedGas.limitFor(head.gasLimit),
      maxBytes: maxBlockTransactionBytes,
      maxBlobs: blobParametersAt(this.#options.config, BigInt(time))?.max ?? 0,
    })
  }
}
