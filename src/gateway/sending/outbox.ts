import { Slots } from '../../base/async/slots.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { RefusedTransaction } from '../../chain/port/pool.ts'
import { reject } from '../../pool/admission/rejections.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'
import { type BroadcastOutcome, isContradicted, toGethError } from './broadcastOutcome.ts'
import type { GivenUpFile } from './givenUpFile.ts'
import { GivenUpTransactions, maxKept } from './givenUpTransactions.ts'
import type { OutgoingTransaction, RejectionReason } from './outgoingTransaction.ts'
import { OutgoingTransactions } from './outgoingTransactions.ts'
import { RecentErrors } from './recentErrors.ts'
import type { SenderAccount } from './senderAccounts.ts'
import { type SenderQueue, SenderQueues } from './senderQueues.ts'
import type { SendTrail } from './sendTrail.ts'

export interface OutboxTimes {
  /** The time after which a transaction that is in no block yet is sent again. */
  readonly rebroadcastMs: number
  /** The time until a sender's next attempt after one that got no response. */
  readonly retryMs: number
  /**
   * How long a node only reports that it saw the bytes after it rejected them (CometBFT's check_tx_retry_delay, plus a
   * margin).
   */
  readonly seenCacheMs: number
  /** The age at which a transaction that no block includes is dropped. */
  readonly lifetimeMs: number
  /** How long the chain may reject an acknowledged transaction before it is given up. */
  readonly refusalMs: number
  /** How long the transactions behind one that was given up wait for another one with its nonce. */
  readonly orphanMs: number
}

interface OutboxOptions {
  readonly times: OutboxTimes
  /** Whether the chain queues transactions with a nonce gap (app mempools from cosmos/evm 0.4 on). */
  readonly queuesNonceGaps: boolean
  readonly maxConcurrent: number
  /** Whether a transaction that no upstream answers for is rejected instead of kept, if nobody was notified of it yet. */
  readonly refusesUnanswered?: boolean
}

/** How many nodes must reject a transaction, if there are so many. */
const nodesForRefusal = 3

/** What is said of a transaction that no upstream answered for, where such ones are rejected. */
export const unansweredText =
  'the chain behind this gateway does not answer: the transaction is not kept (gateway.sends-while-away), though a node may have it'

interface OutboxDependencies {
  readonly pool: TransactionPool
  /** Encodes the transaction and broadcasts it to an upstream. Never throws. */
  readonly send: (tx: PoolTransaction, trail: SendTrail) => Promise<BroadcastOutcome>
  readonly readNewest: (sender: Uint8Array) => Promise<SenderAccount>
  /** Returns whether there is a node to ask that is not among those that rejected a transaction; by default there is none. */
  readonly canSendElsewhere?: (refusedBy: readonly string[]) => boolean
  /** Called with the nodes that rejected a transaction which another one took right after. */
  readonly onContradicted?: (nodes: readonly string[]) => void
  /** Restores a transaction whose replacement was rejected. Resolves with the reason if that is not possible. Never rejects. */
  readonly restore: (tx: PoolTransaction) => Promise<string | undefined>
  /** Called once for each transaction that an upstream accepted, or that is held here until it can be sent. */
  readonly onAcknowledged: (tx: PoolTransaction) => void
  /** Returns whether a transaction was acknowledged by the process before this one. */
  readonly wasAcknowledged: (id: string) => boolean
  readonly now: () => number
  readonly log: Logger
  /** Keeps what was given up across restarts; undefined if it is not kept. */
  readonly givenUpFile?: GivenUpFile | undefined
  /** Returns whether another gateway of a fleet keeps a transaction: it is sent from here too if no block takes it. */
  readonly isShared?: (id: string) => boolean
  /** Returns whether the transactions of the journal are back in the pool. */
  readonly isRestored?: () => boolean
}

/**
 * Sends executable transactions to the chain: those of a sender in nonce order, each after the previous one was
 * accepted, because a node that receives them out of order rejects all but one. Transactions that are not accepted are
 * held and tried again; rejected ones leave the pool, those that were acknowledged only if the chain stays at it.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #dependencies: OutboxDependencies
  readonly #outgoing: OutgoingTransactions
  readonly #queues: SenderQueues
  readonly #errors: RecentErrors
  readonly #givenUp: GivenUpTransactions
  readonly #slots: Slots
  readonly #timer: NodeJS.Timeout

  constructor(options: OutboxOptions, dependencies: OutboxDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#slots = new Slots(options.maxConcurrent)
    this.#errors = new RecentErrors(10_000, dependencies.now)
    this.#outgoing = new OutgoingTransactions(dependencies)
    this.#givenUp = new GivenUpTransactions(options.times.orphanMs, {
      ...dependencies,
      file: dependencies.givenUpFile,
    })
    this.#queues = new SenderQueues(options.times, {
      send: (queue) => this.#sendQueue(queue),
      hasPending: (sender) => dependencies.pool.pendingOf(sender).length > 0,
      now: dependencies.now,
      log: dependencies.log,
    })
    const { events } = dependencies.pool
    events.on('pending', (tx) => {
      const queue = this.#queues.of(tx.sender)
      this.#outgoing.add(tx)
      if (queue.isStuck && !options.refusesUnanswered) this.#outgoing.hold([tx])
      this.#queues.schedule(queue)
    })
    events.on('parked', (tx) => this.#outgoing.park(tx))
    events.on('dropped', ({ transaction, reason }) => {
      this.#outgoing.remove(transaction, reason === 'replaced')
      this.#outgoing.forgetReturn(transaction.id)
      this.#givenUp.onDropped(transaction, reason)
    })
    this.#timer = setInterval(() => this.#tick(), Math.min(1_000, options.times.retryMs)).unref()
  }

  /** Resolves with the outcome of a transaction; with undefined at once if it must wait for others, which acknowledges it. */
  async outcomeOf(tx: PoolTransaction): Promise<RejectionReason> {
    return this.#outgoing.outcomeOf(tx)
  }

  /**
   * Marks a transaction that was seen in an upstream's mempool as accepted. It does not renew that: a node may show what
   * it never passes on, and another one must get it after a while however often that is seen.
   */
  markSeen(id: string): void {
    const outgoing = this.#outgoing.get(id)
    if (outgoing === undefined) return
    outgoing.refusal = undefined
    this.#outgoing.markAccepted(outgoing, outgoing.acceptedAt ?? this.#dependencies.now())
  }

  /** Returns whether a node of the chain has a transaction, as far as is known. */
  isAccepted(tx: PoolTransaction): boolean {
    return this.#outgoing.get(tx.id)?.acceptedAt !== undefined || !this.#dependencies.pool.get(tx.hash)
  }

  /** Records that a transaction was acknowledged before it came here. */
  acknowledge(tx: PoolTransaction): void {
    this.#outgoing.acknowledge(tx)
  }

  /** Sends a transaction again at once: nobody knows whether a node of the chain has it. */
  sendAgain(tx: PoolTransaction): void {
    this.#outgoing.get(tx.id)?.doubtAcceptance()
    this.#outgoing.acknowledge(tx)
    this.#queues.schedule(this.#queues.of(tx.sender))
  }

  /** Returns the transactions that the chain rejects though they were acknowledged, after those that were given up. */
  refusals(): readonly RefusedTransaction[] {
    const held = [...this.#outgoing.values()].flatMap(({ tx: { hash, sender, transaction }, refusal }) =>
      refusal === undefined
        ? []
        : [{ hash, sender, nonce: transaction.nonce, reason: refusal.reason, isGivenUp: false }],
    )
    return [...this.#givenUp.values(), ...held].slice(-maxKept)
  }

  /** Runs the queues that wait for another head, because prices and nonces have changed. */
  onHead(): void {
    this.#queues.onHead()
  }

  /** Sends everything again after an absence, because another upstream, or one that restarted, may not have it. */
  rebroadcastAll(): void {
    for (const outgoing of this.#outgoing.values()) {
      outgoing.doubtAcceptance()
      outgoing.interruptRefusals()
    }
    this.#queues.scheduleAll()
  }

  close(): void {
    this.#queues.close()
    clearInterval(this.#timer)
    this.#dependencies.givenUpFile?.flush()
    for (const outgoing of this.#outgoing.values()) outgoing.settle(undefined)
  }

  /** Sends the due transactions of one sender; ends early if the rest must wait. */
  async #sendQueue(queue: SenderQueue): Promise<void> {
    for (let outgoing = this.#next(queue); outgoing !== undefined; outgoing = this.#next(queue)) {
      const result = await this.#send(outgoing)
      if (this.#queues.isClosed) return
      // A node that was asked before the one that answered, in the same call, may have it.
      if (outgoing.trail.mayBeAnywhere) outgoing.isUncertain = true
      if (this.#hasLeft(outgoing)) continue
      if (this.#isPutToOthers(outgoing, result)) continue
      if (await this.#apply(queue, outgoing, result)) continue
      this.#outgoing.hold(this.#dependencies.pool.pendingOf(queue.sender))
      return
    }
  }

  #next(queue: SenderQueue): OutgoingTransaction | undefined {
    const { pool, now } = this.#dependencies
    const { rebroadcastMs } = this.#options.times
    for (const tx of pool.pendingOf(queue.sender)) {
      const outgoing = this.#outgoing.get(tx.id)
      if (outgoing === undefined || !(tx.isLocal || this.#dependencies.isShared?.(tx.id))) continue
      // Geth keeps a transaction that cannot pay the base fee until the fee has fallen; a node of the chain would
      // reject it.
      if (tx.feeCap < pool.head.baseFee) {
        queue.waitsForHead = true
        this.#outgoing.hold(pool.pendingOf(queue.sender))
        return undefined
      }
      if (outgoing.notBefore > now()) {
        queue.dueAt = Math.min(queue.dueAt, outgoing.notBefore)
        this.#outgoing.hold(pool.pendingOf(queue.sender))
        return undefined
      }
      const age = outgoing.acceptedAt === undefined ? rebroadcastMs : now() - outgoing.acceptedAt
      if (age >= rebroadcastMs) return outgoing
      queue.dueAt = Math.min(queue.dueAt, now() - age + rebroadcastMs)
    }
    return undefined
  }

  #send({ tx, trail }: OutgoingTransaction): Promise<BroadcastOutcome> {
    return this.#slots.run(() => this.#dependencies.send(tx, trail))
  }

  /**
   * Returns whether another node is asked after a rejection that would be told to the submitter, or cost what was
   * acknowledged: one node alone does not reject for the chain.
   */
  #isPutToOthers(
    { trail, replaced, isHeld, wasSent }: OutgoingTransaction,
    { kind }: BroadcastOutcome,
  ): boolean {
    const { canSendElsewhere, onContradicted } = this.#dependencies
    if (kind === 'taken' && trail.disputedBy.length > 0) onContradicted?.(trail.disputedBy)
    const isWeighty =
      kind === 'nonce used'
        ? !wasSent
        : kind === 'full'
          ? !isHeld
          : kind === 'refused' && (!isHeld || replaced !== undefined)
    const isDisputed =
      isWeighty && trail.dispute() < nodesForRefusal && canSendElsewhere?.(trail.refusedBy) === true
    if (!isDisputed) trail.endDispute()
    return isDisputed
  }

  /** Applies an outcome. Returns whether the sender's next transaction may be sent. */
  async #apply(
    queue: SenderQueue,
    outgoing: OutgoingTransaction,
    outcome: BroadcastOutcome,
  ): Promise<boolean> {
    const { now } = this.#dependencies
    const { retryMs, seenCacheMs, rebroadcastMs } = this.#options.times
    queue.isStuck = outcome.kind === 'unanswered'
    const { isHeld } = outgoing
    switch (outcome.kind) {
      case 'taken':
        this.#errors.forget(outgoing.tx.id)
        this.#givenUp.forget(outgoing.tx.id)
        outgoing.trail.onTaken()
        outgoing.refusal = undefined
        this.#outgoing.markAccepted(outgoing, now())
        return true
      case 'known': {
        // What other nodes rejected says nothing about this one, which has not.
        if (outgoing.trail.isAtOtherNode) outgoing.refusal = undefined
        // A node that has just rejected the bytes says only that it saw them.
        const nextAnswerAt = (outgoing.refusal?.at ?? Number.NEGATIVE_INFINITY) + seenCacheMs
        if (nextAnswerAt > now()) {
          outgoing.notBefore = nextAnswerAt
          return this.#queues.backOff(queue, nextAnswerAt - now())
        }
        const before = isHeld ? undefined : this.#errors.within(outgoing.tx.id, seenCacheMs)
        if (before !== undefined) return this.#reject(outgoing, before)
        // Another client sent it: the node will report later whether it is pending or was rejected. A rejection stays,
        // because some nodes keep the bytes that they rejected.
        this.#outgoing.markAccepted(outgoing, isHeld ? now() : now() - rebroadcastMs + seenCacheMs)
        return true
      }
      case 'gap':
        if (this.#options.queuesNonceGaps) {
          outgoing.refusal = undefined
          this.#outgoing.markAccepted(outgoing, now())
          return true
        }
        this.#rebroadcastEarlier(outgoing)
        return this.#queues.backOff(queue, retryMs)
      case 'nonce used':
        return this.#applyNonceUsed(queue, outgoing)
      case 'full':
        if (!isHeld) return this.#reject(outgoing, reject('poolFull').message)
        return this.#queues.backOff(queue, retryMs)
      case 'unanswered':
        this.#dependencies.log.warn(
          { hash: outgoing.tx.id, why: outcome.text },
          'no response to a transaction',
        )
        if (this.#options.refusesUnanswered && !outgoing.isAcknowledged && !outcome.wasAnswered)
          return this.#reject(outgoing, unansweredText)
        outgoing.isUncertain = true
        outgoing.interruptRefusals()
        // A node that answers would be asked at each head, and may answer so for hours.
        if (outcome.wasAnswered)
          outgoing.notBefore = now() + Math.min(rebroadcastMs, retryMs * 2 ** outgoing.unknownOutcomes++)
        return this.#queues.backOff(queue, retryMs)
      case 'refused': {
        const { tx } = outgoing
        const account = await this.#readNewestAccount(tx.sender)
        if (this.#hasLeft(outgoing)) return true
        const head = this.#dependencies.pool.head
        const reason = toGethError(outcome, { tx, account, head })
        if (isContradicted(outcome, tx, head) || (isHeld && outgoing.replaced === undefined))
          return this.#applyRefusal(queue, outgoing, reason)
        return this.#reject(outgoing, reason)
      }
    }
  }

  /**
   * Applies a rejection of a transaction that is to be kept: it is sent again, because nodes reject for reasons that
   * pass, and given up if the chain stays at it.
   */
  #applyRefusal(queue: SenderQueue, outgoing: OutgoingTransaction, reason: string): boolean {
    const { now, log } = this.#dependencies
    const { retryMs, refusalMs, seenCacheMs } = this.#options.times
    const { tx } = outgoing
    const before = outgoing.refusal?.reason
    if (outgoing.refuse(reason, now(), seenCacheMs) >= refusalMs) return this.#reject(outgoing, reason)
    if (before !== reason)
      log.warn({ hash: tx.id, why: reason }, 'the chain rejected a transaction; it will be sent again')
    // The chain may have taken it into a block in the meantime.
    outgoing.doubtAcceptance()
    outgoing.notBefore = now() + retryMs
    return this.#queues.backOff(queue, retryMs)
  }

  /** Applies a used nonce: the node has it from this transaction, from another one in its mempool, or from a block. */
  async #applyNonceUsed(queue: SenderQueue, outgoing: OutgoingTransaction): Promise<boolean> {
    const { tx, wasSent } = outgoing
    const { nonce } = tx.transaction
    const account = await this.#readNewestAccount(tx.sender)
    if (this.#hasLeft(outgoing)) return true
    if (account === undefined) return this.#queues.backOff(queue, this.#options.times.retryMs)
    if (account.nonce > nonce && !wasSent)
      return this.#reject(outgoing, reject('nonceTooLow', account.nonce, nonce).message)
    // It is in a block that comes next here; or the node keeps the first of two, and only a block decides between them.
    if (account.nonce <= nonce && wasSent && outgoing.replaced === undefined) {
      this.#outgoing.markAccepted(outgoing, this.#dependencies.now())
      return true
    }
    queue.waitsForHead = true
    return false
  }

  /** Returns whether a transaction left the pool while a node was asked: the response does not matter any more. */
  #hasLeft(outgoing: OutgoingTransaction): boolean {
    return this.#outgoing.get(outgoing.tx.id) !== outgoing
  }

  #readNewestAccount(sender: Uint8Array): Promise<SenderAccount | undefined> {
    return this.#dependencies.readNewest(sender).catch(() => undefined)
  }

  #rebroadcastEarlier({ tx }: OutgoingTransaction): void {
    for (const other of this.#dependencies.pool.pendingOf(tx.sender)) {
      if (other.transaction.nonce >= tx.transaction.nonce) return
      const earlier = this.#outgoing.get(other.id)
      if (earlier === undefined) continue
      earlier.isUncertain = true
      earlier.acceptedAt = undefined
    }
  }

  #reject(outgoing: OutgoingTransaction, message: string): true {
    const { pool, log } = this.#dependencies
    const { tx, replaced } = outgoing
    this.#errors.remember(tx.id, message)
    const { isAcknowledged } = outgoing
    outgoing.settle(message)
    pool.remove(tx.hash)
    if (isAcknowledged) {
      log.warn({ hash: tx.id, why: message }, 'the chain rejects a transaction; no longer sending it')
      this.#givenUp.add(tx, message)
    }
    // The transactions after it wait for another one with its nonce; their submitters do not wait.
    this.#outgoing.hold(pool.queuedOf(tx.sender))
    if (replaced !== undefined) void this.#restore(replaced)
    return true
  }

  /** Restores what a rejected transaction had replaced, because the chain keeps it; it is given up if it cannot be. */
  async #restore(replaced: OutgoingTransaction): Promise<void> {
    const { tx } = replaced
    this.#outgoing.expectReturn(replaced)
    const reason = await this.#dependencies.restore(tx)
    if (reason === undefined) return
    this.#outgoing.forgetReturn(tx.id)
    const why = `its replacement was rejected, and it could not be restored: ${reason}`
    this.#dependencies.log.warn({ hash: tx.id, why }, 'a transaction is given up')
    if (tx.isLocal) this.#givenUp.add(tx, why)
  }

  #tick(): void {
    const now = this.#dependencies.now()
    this.#queues.tick()
    const oldestStart = now - this.#options.times.lifetimeMs
    const old = [...this.#outgoing.values()].filter(({ since }) => since < oldestStart)
    for (const { tx } of old) {
      this.#dependencies.log.info({ hash: tx.id }, 'a transaction that no block took is given up')
      this.#dependencies.pool.remove(tx.hash)
      if (tx.isLocal) this.#givenUp.add(tx, 'no block took it in time')
    }
    if (this.#dependencies.isRestored?.() ?? true) this.#givenUp.dropOrphans()
  }
}
