import { toHex } from '../../base/hex.ts'
import type { Logger } from '../../base/log.ts'
import { refuse } from '../../pool/admission/refusals.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'
import { LastErrors } from './lastErrors.ts'
import type { Outcome, Parcel } from './parcel.ts'
import { Parcels } from './parcels.ts'
import type { SenderAccount } from './senderAccounts.ts'
import { explainRefusal, type Verdict } from './verdict.ts'

export interface OutboxTimes {
  /** After which a transaction that is in no block yet is sent again. */
  readonly rebroadcastMs: number
  /** Until a sender's next attempt after one that got no answer. */
  readonly retryMs: number
  /** For which a node repeats of refused bytes only that it saw them (CometBFT's check_tx_retry_delay, and a bit). */
  readonly seenMs: number
  /** After which a transaction that no block took is given up. */
  readonly lifetimeMs: number
}

interface OutboxOptions {
  readonly times: OutboxTimes
  /** Whether the chain's own pool keeps what it calls a gap (cosmos/evm from 0.4 on). */
  readonly queuesNonceGaps: boolean
  readonly maxConcurrent: number
}

interface OutboxDependencies {
  readonly pool: TransactionPool
  /** Wraps the transaction and gives it to the chain's node. Never throws. */
  readonly send: (tx: PoolTransaction) => Promise<Verdict>
  readonly readNewest: (sender: Uint8Array) => Promise<SenderAccount>
  /** Puts back what was replaced in vain. */
  readonly restore: (tx: PoolTransaction) => void
  /** Hears once of each transaction that the chain's node holds, or that is held for it here. */
  readonly onAcknowledged: (tx: PoolTransaction) => void
  readonly now: () => number
  readonly log: Logger
}

/** The transactions of one sender, one after the other. */
interface Lane {
  readonly sender: Uint8Array
  isRunning: boolean
  isWanted: boolean
  /** When there is something to do again, by the clock. */
  dueAt: number
  waitsForHead: boolean
  /** The last one that was sent got no answer: who comes now is not made to wait for the next attempt. */
  isStuck: boolean
}

/**
 * Brings what is executable to the chain: each sender's transactions in the order of their nonces, each only when the
 * one before it was taken, since a node that gets them out of order refuses all but one. What is not taken is held
 * and tried again; what is refused leaves the pool.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #dependencies: OutboxDependencies
  readonly #parcels: Parcels
  readonly #lanes = new Map<string, Lane>()
  readonly #errors: LastErrors
  readonly #waiting: (() => void)[] = []
  readonly #timer: NodeJS.Timeout
  #sending = 0
  #isClosed = false

  constructor(options: OutboxOptions, dependencies: OutboxDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#errors = new LastErrors(10_000, dependencies.now)
    this.#parcels = new Parcels(dependencies)
    const { events } = dependencies.pool
    events.on('pending', (tx) => {
      const lane = this.#laneOf(tx.sender)
      this.#parcels.enter(tx)
      if (lane.isStuck) this.#parcels.hold([tx])
      this.#want(lane)
    })
    events.on('dropped', ({ transaction, reason }) => this.#parcels.leave(transaction, reason === 'replaced'))
    this.#timer = setInterval(() => this.#tick(), Math.min(1_000, options.times.retryMs)).unref()
  }

  /** What became of a transaction's way to the chain; undefined at once for one that waits for others. */
  async outcomeOf(tx: PoolTransaction): Promise<Outcome> {
    return this.#parcels.outcomeOf(tx)
  }

  /** The chain's node is seen to hold it. */
  markTaken(id: string): void {
    const parcel = this.#parcels.get(id)
    if (parcel !== undefined) this.#parcels.take(parcel, this.#dependencies.now())
  }

  /** Prices and nonces are others: what waited for that is tried again. */
  onHead(): void {
    for (const lane of this.#lanes.values()) if (lane.waitsForHead) this.#want(lane)
  }

  /** Another node, or the same one after a restart, may know of nothing. */
  sendAllAgain(): void {
    for (const parcel of this.#parcels.values()) {
      parcel.isUncertain ||= parcel.takenAt !== undefined
      parcel.takenAt = undefined
    }
    for (const lane of this.#lanes.values()) this.#want(lane)
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const parcel of this.#parcels.values()) parcel.settle(undefined)
    for (const go of this.#waiting.splice(0)) go()
  }

  #laneOf(sender: Uint8Array): Lane {
    const id = toHex(sender)
    const lane = this.#lanes.get(id) ?? {
      sender,
      isRunning: false,
      isWanted: false,
      dueAt: 0,
      waitsForHead: false,
      isStuck: false,
    }
    this.#lanes.set(id, lane)
    return lane
  }

  #want(lane: Lane): void {
    lane.isWanted = true
    if (lane.isRunning) return
    lane.isRunning = true
    // In a later turn: what comes in this one comes together.
    setImmediate(() => void this.#run(lane))
  }

  async #run(lane: Lane): Promise<void> {
    const { pool, now, log } = this.#dependencies
    try {
      while (lane.isWanted && !this.#isClosed) {
        lane.isWanted = false
        lane.waitsForHead = false
        lane.dueAt = now() + this.#options.times.rebroadcastMs
        await this.#pass(lane)
      }
    } catch (error) {
      log.error({ err: error }, 'transactions of a sender could not be sent')
      this.#pause(lane, this.#options.times.retryMs)
    } finally {
      lane.isRunning = false
      if (pool.pendingOf(lane.sender).length === 0 && !lane.isWanted) this.#lanes.delete(toHex(lane.sender))
    }
  }

  /** Sends what is to be sent of one sender; ends early where the rest has to wait. */
  async #pass(lane: Lane): Promise<void> {
    for (let parcel = this.#next(lane); parcel !== undefined; parcel = this.#next(lane)) {
      const verdict = await this.#send(parcel)
      if (this.#isClosed) return
      // It left the pool while it was under way: what the node says of it is of no use any more.
      if (this.#parcels.get(parcel.tx.id) !== parcel) continue
      if (await this.#apply(lane, parcel, verdict)) continue
      this.#parcels.hold(this.#dependencies.pool.pendingOf(lane.sender))
      return
    }
  }

  #next(lane: Lane): Parcel | undefined {
    const { pool, now } = this.#dependencies
    const { rebroadcastMs } = this.#options.times
    for (const tx of pool.pendingOf(lane.sender)) {
      const parcel = this.#parcels.get(tx.id)
      if (parcel === undefined || !tx.isLocal) continue
      // geth keeps what cannot pay the base fee until the fee has fallen; a chain's node would refuse it.
      if (tx.feeCap < pool.head.baseFee) {
        lane.waitsForHead = true
        this.#parcels.hold(pool.pendingOf(lane.sender))
        return undefined
      }
      const age = parcel.takenAt === undefined ? rebroadcastMs : now() - parcel.takenAt
      if (age >= rebroadcastMs) return parcel
      lane.dueAt = Math.min(lane.dueAt, now() - age + rebroadcastMs)
    }
    return undefined
  }

  async #send({ tx }: Parcel): Promise<Verdict> {
    if (this.#sending >= this.#options.maxConcurrent)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#sending++
    try {
      return await this.#dependencies.send(tx)
    } finally {
      this.#sending--
      this.#waiting.shift()?.()
    }
  }

  /** Whether the sender's next one may be sent. */
  async #apply(lane: Lane, parcel: Parcel, verdict: Verdict): Promise<boolean> {
    const { now } = this.#dependencies
    const { retryMs, seenMs, rebroadcastMs } = this.#options.times
    lane.isStuck = verdict.kind === 'unanswered'
    switch (verdict.kind) {
      case 'taken':
        this.#errors.forget(parcel.tx.id)
        this.#parcels.take(parcel, now())
        return true
      case 'known': {
        const isHeld = parcel.isUncertain || parcel.isAcknowledged
        const before = isHeld ? undefined : this.#errors.within(parcel.tx.id, seenMs)
        if (before !== undefined) return this.#refuse(parcel, before)
        // Somebody else sent it: whether it waits there or was refused shows once the node says more.
        this.#parcels.take(parcel, isHeld ? now() : now() - rebroadcastMs + seenMs)
        return true
      }
      case 'gap':
        if (this.#options.queuesNonceGaps) {
          this.#parcels.take(parcel, now())
          return true
        }
        this.#sendEarlierAgain(parcel)
        return this.#pause(lane, retryMs)
      case 'nonce used':
        return this.#applyUsed(lane, parcel)
      case 'full':
        if (!parcel.isAcknowledged) return this.#refuse(parcel, refuse('poolFull').message)
        return this.#pause(lane, retryMs)
      case 'unanswered':
        this.#dependencies.log.warn({ hash: parcel.tx.id, why: verdict.text }, 'no answer to a transaction')
        parcel.isUncertain = true
        return this.#pause(lane, retryMs)
      case 'refused': {
        const { tx } = parcel
        const account = await this.#newest(tx.sender)
        const head = this.#dependencies.pool.head
        return this.#refuse(parcel, explainRefusal(verdict, { tx, account, head }))
      }
    }
  }

  /** The node has the nonce from this very transaction, from one that waits there, or from a block. */
  async #applyUsed(lane: Lane, parcel: Parcel): Promise<boolean> {
    const { tx, wasSent } = parcel
    const { nonce } = tx.transaction
    const account = await this.#newest(tx.sender)
    if (account === undefined) return this.#pause(lane, this.#options.times.retryMs)
    if (account.nonce > nonce && !wasSent)
      return this.#refuse(parcel, refuse('nonceTooLow', account.nonce, nonce).message)
    // In a block that comes next here; or the node keeps the first of two, and only a block decides between them.
    if (account.nonce <= nonce && wasSent && parcel.replaced === undefined) {
      this.#parcels.take(parcel, this.#dependencies.now())
      return true
    }
    lane.waitsForHead = true
    return false
  }

  #newest(sender: Uint8Array): Promise<SenderAccount | undefined> {
    return this.#dependencies.readNewest(sender).catch(() => undefined)
  }

  #sendEarlierAgain({ tx }: Parcel): void {
    for (const other of this.#dependencies.pool.pendingOf(tx.sender)) {
      if (other.transaction.nonce >= tx.transaction.nonce) return
      const earlier = this.#parcels.get(other.id)
      if (earlier === undefined) continue
      earlier.isUncertain = true
      earlier.takenAt = undefined
    }
  }

  #refuse(parcel: Parcel, message: string): true {
    const { pool, restore, log } = this.#dependencies
    const { tx, replaced } = parcel
    this.#errors.remember(tx.id, message)
    if (parcel.isAcknowledged)
      log.warn({ hash: tx.id, why: message }, 'the chain refuses a transaction that it was to take')
    parcel.settle(message)
    pool.remove(tx.hash)
    // Those behind it wait for another with its nonce now, and their senders do not.
    this.#parcels.hold(pool.queuedOf(tx.sender))
    if (replaced !== undefined) {
      this.#parcels.expect(replaced)
      restore(replaced.tx)
    }
    return true
  }

  #pause(lane: Lane, milliseconds: number): false {
    lane.dueAt = Math.min(lane.dueAt, this.#dependencies.now() + milliseconds)
    lane.waitsForHead = true
    return false
  }

  #tick(): void {
    const now = this.#dependencies.now()
    for (const lane of this.#lanes.values()) if (lane.dueAt <= now && !lane.isRunning) this.#want(lane)
    const born = now - this.#options.times.lifetimeMs
    const old = [...this.#parcels.values()].filter(({ since }) => since < born)
    for (const { tx } of old) {
      this.#dependencies.log.info({ hash: tx.id }, 'a transaction that no block took is given up')
      this.#dependencies.pool.remove(tx.hash)
    }
  }
}
