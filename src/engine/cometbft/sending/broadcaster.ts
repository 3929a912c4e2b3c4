import { toHex } from '../../../base/encoding/hex.ts'
import type { Logger } from '../../../base/logging/log.ts'
import type { BroadcastResponse } from '../../../comet/data/replies.ts'
import type { PoolTransaction } from '../../../pool/types.ts'
import type { RelayStats } from '../../metrics.ts'
import type { EngineRpcClient } from '../rpcClient.ts'
import { EngineMempool } from './engineMempool.ts'
import { Renewals } from './renewals.ts'
import { RetryQueue } from './retryQueue.ts'

export interface BroadcasterDependencies {
  readonly rpc: Pick<EngineRpcClient, 'broadcast'>
  /** Returns whether the next block could hold the transaction. */
  readonly isIncludable: (transaction: PoolTransaction) => boolean
  /** Returns the executable transactions of the pool. */
  readonly pending: () => Iterable<PoolTransaction>
  /** Encodes a transaction for the engine. */
  readonly encode: (transaction: PoolTransaction) => Uint8Array
  readonly log: Logger
}

/** The greatest number of transactions in one request. */
const maxBatchCount = 200
/**
 * The greatest number of bytes of a request, below what CometBFT takes by default (`rpc.max_body_bytes`). The longest
 * transaction that the pool takes is a fifth of it.
 */
const maxBatchBytes = 900_000
/** What a request has around each transaction. */
const callBytes = 100
/** The most ids of dropped transactions that are kept, several times what a mempool of CometBFT holds by default. */
const maxDropped = 20_000
/** The pause after a request that did not reach the engine, which is starting or gone, or that it took nothing of. */
const pauseMs = 500

/**
 * Sends transactions of the pool to the engine, which gossips them, in the order in which they became executable. A
 * transaction that the next block could not hold waits until a block could; what the engine holds is not sent again. A
 * request that the engine rejects is split, so that a transaction that it cannot take stands in the way of no other
 * one: it is tried again ever more seldom, until the engine takes it or the pool drops it.
 */
export class Broadcaster {
  readonly #dependencies: BroadcasterDependencies
  /** The transactions to send, in order, by id. */
  readonly #waiting = new Map<string, PoolTransaction>()
  /** Those that the next block could not hold. */
  readonly #held = new Map<string, PoolTransaction>()
  /** Those that the engine did not take. */
  readonly #retries = new RetryQueue((transaction) => this.add(transaction))
  /** The ids of the transactions of the pool that the engine holds. */
  readonly #inMempool = new EngineMempool()
  readonly #renewals = new Renewals()
  /** Those that it was asked to drop, to take them once more. */
  readonly #renewing = new RetryQueue((transaction) => this.add(transaction))
  /** The ids of those that it holds although the pool dropped them. */
  readonly #dropped = new Set<string>()
  #batchCount = maxBatchCount
  #failures = 0
  #hasWarned = false
  #isRunning = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(dependencies: BroadcasterDependencies) {
    this.#dependencies = dependencies
  }

  get stats(): RelayStats {
    return {
      waiting: this.#waiting.size,
      held: this.#held.size,
      retried: this.#retries.size,
      failures: this.#failures,
    }
  }

  /** Adds an executable transaction to send. */
  add(transaction: PoolTransaction): void {
    const { id } = transaction
    this.#dropped.delete(id)
    if (this.#isClosed || this.#inMempool.has(id)) return
    if (this.#retries.has(id) || this.#renewing.has(id)) return
    if (!this.#dependencies.isIncludable(transaction)) {
      this.#hold(transaction)
      return
    }
    this.#held.delete(id)
    this.#waiting.set(id, transaction)
    this.#start()
  }

  /** Called when an engine has started, whose mempool is empty: every executable transaction is sent again. */
  onEngineStart(): void {
    this.#inMempool.clear()
    this.#renewals.clear()
    this.#dropped.clear()
    for (const transaction of this.#dependencies.pending()) this.add(transaction)
  }

  /**
   * Called when prices and the pool have moved to a new head: what was held back may be sent now, and the engine does
   * not hold what the block included, nor what it has not checked again for some blocks. Of the transactions that the block
   * had no room for, the engine has dropped its copies, so they are sent again.
   */
  onHead(included: readonly Uint8Array[], withoutRoom: readonly PoolTransaction[] = []): void {
    for (const hash of included) this.#dropped.delete(toHex(hash))
    this.#renewals.onHead()
    for (const transaction of withoutRoom) this.returnFromMempool(transaction)
    const lost = this.#inMempool.onHead()
    if (lost.size > 0)
      for (const transaction of this.#dependencies.pending())
        if (lost.has(transaction.id)) this.add(transaction)
    for (const transaction of [...this.#held.values()])
      if (this.#dependencies.isIncludable(transaction)) this.add(transaction)
  }

  /**
   * Marks a transaction that the engine checks, and therefore holds. A transaction that the pool does not have any more is not
   * marked: a block included it before the engine's answer came, and nothing would unmark it. With `isRecheck` the engine
   * held it before.
   */
  markInMempool(id: string, isRecheck = false): void {
    if (this.#remove(id)) this.#inMempool.add(id)
    if (isRecheck) this.#inMempool.onRecheck(id)
  }

  /** Marks a transaction that the engine drops from its mempool; it is sent again when a block could hold it. */
  returnFromMempool(transaction: PoolTransaction): void {
    this.#inMempool.delete(transaction.id)
    this.add(transaction)
  }

  /**
   * Returns whether the engine is to drop an acknowledged transaction at its check, because it is sent again right after:
   * the engine gives what it holds to each peer only once, and one whose pool was full then may have room now.
   */
  takeRenewal(transaction: PoolTransaction): boolean {
    const { id, isLocal } = transaction
    if (this.#isClosed || !isLocal || !this.#inMempool.has(id) || !this.#renewals.take(id)) return false
    this.#inMempool.delete(id)
    // Not at once: the engine takes it only when it has dropped it.
    this.#renewing.add(transaction)
    return true
  }

  /** Removes a transaction that was included or dropped. */
  forget(id: string, isIncluded: boolean): void {
    this.#renewals.delete(id)
    if (this.#inMempool.delete(id) && !isIncluded) this.#addDropped(id)
    this.#remove(id)
  }

  /** Returns whether the engine holds a transaction that the pool dropped, and forgets it: the engine drops it too. */
  takeDropped(id: string): boolean {
    return this.#dropped.delete(id)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#retries.close()
    this.#renewing.close()
  }

  /** Removes what is to be sent and returns whether there was a transaction with the id. */
  #remove(id: string): boolean {
    const wasWaiting = this.#waiting.delete(id)
    const wasHeld = this.#held.delete(id)
    const wasRenewed = this.#renewing.delete(id)
    const wasRetried = this.#retries.delete(id)
    if (wasRetried && this.#retries.size === 0) this.#reportRecovery()
    return wasWaiting || wasHeld || wasRenewed || wasRetried
  }

  #addDropped(id: string): void {
    this.#dropped.add(id)
    if (this.#dropped.size <= maxDropped) return
    const [oldest] = this.#dropped
    if (oldest !== undefined) this.#dropped.delete(oldest)
  }

  #hold(transaction: PoolTransaction): void {
    this.#remove(transaction.id)
    this.#held.set(transaction.id, transaction)
  }

  #start(): void {
    if (!this.#isRunning && this.#timer === undefined) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // Transactions that arrive in one turn of the event loop are sent together.
    await new Promise((resolve) => setImmediate(resolve))
    let mustPause = false
    try {
      while (!mustPause && !this.#isClosed) {
        const batch = this.#takeBatch()
        if (batch.length === 0) break
        mustPause = !(await this.#send(batch))
      }
    } catch (error) {
      mustPause = true
      this.#reportFailure(error as Error)
    } finally {
      this.#isRunning = false
    }
    if (mustPause && !this.#isClosed)
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#start()
      }, pauseMs)
  }

  /** Returns the next transactions for one request; they stay in `#waiting` until the engine answers. */
  #takeBatch(): readonly PoolTransaction[] {
    const batch: PoolTransaction[] = []
    let bytes = 0
    for (const transaction of this.#waiting.values()) {
      if (!this.#dependencies.isIncludable(transaction)) {
        this.#hold(transaction)
        continue
      }
      // Base64 is longer by a third, the wrapper adds little.
      bytes += Math.ceil((transaction.size * 4) / 3) + callBytes
      if (batch.length > 0 && (bytes > maxBatchBytes || batch.length >= this.#batchCount)) break
      batch.push(transaction)
    }
    return batch
  }

  /**
   * Sends transactions, in several requests if the engine rejects one with all of them. Returns false if it took none.
   * Throws if the engine cannot be reached or does not answer.
   */
  async #send(batch: readonly PoolTransaction[]): Promise<boolean> {
    const { rpc, encode } = this.#dependencies
    const live = batch.filter(({ id }) => this.#waiting.has(id))
    if (live.length === 0 || this.#isClosed) return true
    let results: Awaited<ReturnType<typeof rpc.broadcast>>
    try {
      results = await rpc.broadcast(live.map(encode))
    } catch (error) {
      if (isTimeout(error as NodeJS.ErrnoException)) this.#slowDown(live)
      if (isUnreachable(error as NodeJS.ErrnoException)) throw error
      return this.#split(live, error as Error)
    }
    let hasTaken = false
    for (const [index, transaction] of live.entries()) {
      const error = toError(results[index])
      if (error === undefined) {
        hasTaken = true
        this.markInMempool(transaction.id)
      } else this.#retryLater(transaction, error)
    }
    if (hasTaken) {
      this.#batchCount = Math.min(maxBatchCount, this.#batchCount + Math.ceil(this.#batchCount / 4))
      if (this.#retries.size === 0) this.#reportRecovery()
    }
    return hasTaken
  }

  /**
   * Has fewer sent at once, later, to an engine that did not answer in time. A lone transaction steps aside for the others.
   */
  #slowDown(batch: readonly PoolTransaction[]): void {
    const [first] = batch
    this.#batchCount = Math.max(1, batch.length >> 1)
    if (batch.length === 1 && first !== undefined) this.#postpone(first)
  }

  async #split(batch: readonly PoolTransaction[], error: Error): Promise<boolean> {
    const [first] = batch
    if (batch.length === 1 && first !== undefined) {
      this.#retryLater(first, error)
      return false
    }
    const middle = batch.length >> 1
    this.#batchCount = Math.max(1, middle)
    const hasTakenFirst = await this.#send(batch.slice(0, middle))
    return (await this.#send(batch.slice(middle))) || hasTakenFirst
  }

  #retryLater(transaction: PoolTransaction, error: Error): void {
    if (this.#postpone(transaction)) this.#reportFailure(error, transaction.id)
  }

  /**
   * Has a transaction that the engine did not take tried later, unless it was dropped or cannot be included any more.
   * Returns whether it will be.
   */
  #postpone(transaction: PoolTransaction): boolean {
    if (!this.#waiting.delete(transaction.id)) return false
    const isIncludable = this.#dependencies.isIncludable(transaction)
    if (isIncludable) this.#retries.add(transaction)
    else this.#hold(transaction)
    return isIncludable
  }

  #reportFailure(error: Error, hash?: string): void {
    this.#failures++
    const { waiting, held, retried } = this.stats
    const fields = { err: error, hash, waiting, held, retried }
    this.#dependencies.log[this.#hasWarned ? 'debug' : 'warn'](
      fields,
      'the engine does not take transactions: they are not relayed, and tried again',
    )
    this.#hasWarned = true
  }

  #reportRecovery(): void {
    if (!this.#hasWarned) return
    this.#hasWarned = false
    this.#dependencies.log.info({ waiting: this.#waiting.size }, 'the engine takes transactions again')
  }
}

/** The errors of an engine that was not reached or did not answer; every other one may be caused by what was sent. */
const unreachable = new Set([
  'ETIMEDOUT',
  'ECONNREFUSED',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

const isUnreachable = ({ code }: NodeJS.ErrnoException): boolean => unreachable.has(code ?? '')

/** Returns whether the engine did not answer in time, perhaps because it was sent too much at once. */
const isTimeout = ({ code }: NodeJS.ErrnoException): boolean => code === 'ETIMEDOUT'

/** Returns why the engine does not hold a transaction; undefined if it does. */
const toError = (result: BroadcastResponse | Error | undefined): Error | undefined => {
  if (result === undefined) return new Error('the engine sent no response')
  if (result instanceof Error)
    return result.message.includes('tx already exists in cache') ? undefined : result
  return result.code === 0 ? undefined : new Error(result.log)
}
