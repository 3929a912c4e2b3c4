import { inTime } from '../../base/async/maybePromise.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { Database } from '../../base/postgres/database.ts'
import { DatabaseAwayError } from '../../base/postgres/databaseErrors.ts'
import {
  isFullPage,
  pageOf,
  type SendRow,
  type SendRows,
  type SendState,
  type SentTransaction,
  type WaitingRow,
} from './sendRows.ts'

/**
 * What became of what was given to the pool: it is settled, this one is to be tried again, or all are, because there is no room or
 * nobody to ask.
 */
export type Taken = 'settled' | 'later' | 'allLater'

/** The pool of this gateway, as what others acknowledged comes into it. */
export interface FleetPool {
  /** Adds a transaction that another gateway keeps. */
  admit(raw: Uint8Array): Promise<Taken>
  /** Sends from now on what another gateway kept. */
  takeOver(raw: Uint8Array): Promise<Taken>
  /** Removes a transaction that another gateway has given up. */
  remove(hash: Uint8Array): void
  /** Returns whether a transaction is in a stored block. */
  isIncluded(hash: Uint8Array): boolean
  has(hash: Uint8Array): boolean
  /** Returns whether it is in the pool, or waits to come into it. */
  keeps(hash: Uint8Array): boolean
  /** Returns what this gateway keeps. */
  kept(): readonly SentTransaction[]
}

interface SharedSendsDependencies {
  readonly rows: SendRows
  readonly self: string
  readonly database: Database
  readonly log: Pick<Logger, 'warn' | 'info' | 'error'>
  /** For how long a block is waited for here that others have seen. */
  readonly includedMs?: number
}

/** What another gateway keeps, and since when that has found it in a block, or its nonce used. */
type OtherSend = SendRow & { readonly includedAt?: number }

interface Waiting {
  readonly transaction: SentTransaction
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** How often what others wrote is read if nobody asks for it. */
const readMs = 250
/** How long a client waits for what others wrote. */
const catchUpMs = 2_000
/** How many ends are written at a time. */
const maxEnds = 500
/** What is tried again of others at a time. */
const maxRetries = 100
/** For how long what others have found in a block is shown as pending here, if no block here has it. */
const includedMs = 60_000
/** What waits for the database to be written; above that the oldest are left to the journal of this gateway. */
const maxUnwritten = 100_000

/**
 * What the gateways of a fleet acknowledged. What this one acknowledges is written before its client gets a response, in one statement with all
 * that wait; what others wrote is read on and comes into the pool, so that each gateway has the pending transactions of all.
 */
export class SharedSends {
  readonly #dependencies: SharedSendsDependencies
  #pool: FleetPool | undefined
  /** What others keep, until it is in a block here or given up. */
  readonly #others = new Map<string, OtherSend>()
  /** What was acknowledged while the database was away. */
  readonly #unwritten = new Map<string, SentTransaction>()
  readonly #ended = new Map<
    string,
    { readonly hash: Uint8Array; readonly state: Exclude<SendState, 'waits'> }
  >()
  /** What is to be sent in the place of others, and could not be taken into the pool yet. */
  readonly #takenOver = new Map<string, SendRow>()
  readonly #adding: Waiting[] = []
  /** Of each transaction that is being written, for all who wait for it: a statement may have it once. */
  readonly #recording = new Map<string, Promise<void>>()
  /** What this gateway wrote and has not read again yet. */
  readonly #written = new Set<string>()
  #isWriting = false
  #at: number | undefined
  #reading: Promise<void> | undefined
  #nextReading: Promise<void> | undefined
  #isTakingOver = false
  #ticking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(dependencies: SharedSendsDependencies) {
    this.#dependencies = dependencies
    dependencies.database.onBack(() => this.#onBack())
  }

  /** Sets the pool, before `start`. */
  bind(pool: FleetPool): void {
    this.#pool = pool
  }

  start(): void {
    const tick = (): void => {
      this.#ticking ??= this.#tick().finally(() => {
        this.#ticking = undefined
      })
    }
    this.#timer = setInterval(tick, readMs).unref()
    this.#onBack()
    void this.catchUp()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#reading
    await this.#ticking
    if (this.#dependencies.database.awayReason === undefined) await this.#write()
  }

  /**
   * Writes a transaction before its client gets a response. Returns false if it could not be written, and so is not kept by the fleet;
   * what a node of the chain has is written later.
   */
  async record(transaction: SentTransaction, isTaken: boolean): Promise<boolean> {
    const id = toHex(transaction.hash)
    this.#ended.delete(id)
    try {
      await this.#recordOnce(id, transaction)
      return true
    } catch (error) {
      if (!(error instanceof DatabaseAwayError))
        this.#dependencies.log.error(
          { err: error, hash: id },
          'a transaction could not be written to the fleet',
        )
      if (isTaken && this.#unwritten.size < maxUnwritten) this.#unwritten.set(id, transaction)
      return isTaken
    }
  }

  #recordOnce(id: string, transaction: SentTransaction): Promise<void> {
    const known = this.#recording.get(id)
    if (known !== undefined) return known
    const recording = new Promise<void>((resolve, reject) => {
      this.#adding.push({ transaction, resolve, reject })
    }).finally(() => this.#recording.delete(id))
    this.#recording.set(id, recording)
    void this.#write()
    return recording
  }

  /** Takes note of what became of a transaction that this gateway keeps. */
  ended(hash: Uint8Array, state: Exclude<SendState, 'waits'>): void {
    const id = toHex(hash)
    this.#unwritten.delete(id)
    if (this.#ended.size < maxUnwritten) this.#ended.set(id, { hash, state })
  }

  /** Withdraws what was said of a transaction that waits again. */
  isBack(transaction: SentTransaction): void {
    this.#ended.delete(toHex(transaction.hash))
    void this.record(transaction, true)
  }

  /** Returns whether another gateway keeps a transaction. */
  isShared(id: string): boolean {
    return this.#others.has(id)
  }

  /** Returns the bytes of a transaction that another gateway keeps. */
  rawOf(hash: Uint8Array): Uint8Array | undefined {
    return this.#others.get(toHex(hash))?.raw
  }

  /** Reads what others have written until now. Never rejects: while the database is away nothing is known of others. */
  async catchUp(): Promise<void> {
    if (this.#dependencies.database.awayReason !== undefined || this.#isClosed) return
    await inTime(this.#readNext(), catchUpMs)
  }

  /** Sends what others kept that are gone. */
  takeOver(rows: readonly SendRow[]): void {
    for (const row of rows) {
      const id = toHex(row.hash)
      this.#others.delete(id)
      this.#takenOver.set(id, row)
    }
    if (rows.length > 0)
      this.#dependencies.log.info(
        { transactions: rows.length },
        'what another gateway kept is sent from here',
      )
    void this.#sendTakenOver()
  }

  /** A read that begins after this call; calls that come together share one. */
  #readNext(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined
      })
      return this.#reading
    }
    this.#nextReading ??= this.#reading.then(() => {
      this.#nextReading = undefined
      return this.#readNext()
    })
    return this.#nextReading
  }

  async #read(): Promise<void> {
    const { rows } = this.#dependencies
    try {
      if (this.#at === undefined) {
        const at = await rows.newest()
        let last: WaitingRow | undefined
        do {
          const page = await rows.waiting(last)
          await this.#apply(page)
          last = isFullPage(page) ? page.at(-1) : undefined
        } while (last !== undefined && !this.#isClosed)
        this.#at = at
      }
      for (let isMore = true; isMore && !this.#isClosed; ) {
        const changed = await rows.changedAfter(this.#at)
        await this.#apply(changed)
        this.#at = changed.at(-1)?.changed ?? this.#at
        isMore = isFullPage(changed)
      }
    } catch (error) {
      if (error instanceof DatabaseAwayError) return
      this.#dependencies.log.error({ err: error }, 'what other gateways wrote could not be read')
    }
  }

  async #apply(rows: readonly SendRow[]): Promise<void> {
    const { self } = this.#dependencies
    const admitting: Promise<unknown>[] = []
    for (const row of rows) {
      const id = toHex(row.hash)
      if (row.keeper === self) {
        this.#others.delete(id)
        if (this.#written.delete(id) && row.state === 'waits') this.#endIfLeft(id, row.hash)
      } else if (row.state === 'gone') {
        this.#others.delete(id)
        this.#pool?.remove(row.hash)
      } else if (row.state === 'waits') {
        this.#others.set(id, row)
        if (this.#pool !== undefined) admitting.push(this.#pool.admit(row.raw))
      } else {
        // The block may not be here yet. There may be none: another transaction may have used the nonce.
        const other = this.#others.get(id)
        if (other !== undefined) this.#others.set(id, { ...other, includedAt: performance.now() })
      }
    }
    await Promise.allSettled(admitting)
  }

  /** What has left the pool while it was written does not wait: nobody would send it. */
  #endIfLeft(id: string, hash: Uint8Array): void {
    const pool = this.#pool
    const isUnderWay = [this.#recording, this.#unwritten, this.#ended, this.#takenOver].some((all) =>
      all.has(id),
    )
    if (pool === undefined || isUnderWay || pool.keeps(hash)) return
    this.ended(hash, pool.isIncluded(hash) ? 'included' : 'gone')
  }

  #willWrite(transactions: readonly SentTransaction[]): void {
    for (const { hash } of transactions) this.#written.add(toHex(hash))
    for (const id of this.#written) {
      if (this.#written.size <= maxUnwritten) break
      this.#written.delete(id)
    }
  }

  async #tick(): Promise<void> {
    await this.catchUp()
    const pool = this.#pool
    if (pool === undefined || this.#isClosed) return
    void this.#write()
    void this.#sendTakenOver()
    await this.#admitMissing(pool)
  }

  async #admitMissing(pool: FleetPool): Promise<void> {
    const { includedMs: patienceMs = includedMs } = this.#dependencies
    const missing: [string, SendRow][] = []
    for (const [id, row] of this.#others) {
      const { hash, includedAt } = row
      const isOver = includedAt !== undefined && performance.now() - includedAt > patienceMs
      if (isOver || pool.isIncluded(hash)) this.#others.delete(id)
      else if (includedAt === undefined && !pool.has(hash) && missing.length < maxRetries)
        missing.push([id, row])
    }
    for (const [id, row] of missing) {
      const taken = await pool.admit(row.raw).catch((): Taken => 'later')
      if (this.#isClosed || taken === 'allLater') return
      // The others have their turn first.
      if (taken === 'later' && this.#others.get(id) === row) moveToEnd(this.#others, id, row)
    }
  }

  async #sendTakenOver(): Promise<void> {
    const pool = this.#pool
    if (pool === undefined || this.#isTakingOver) return
    this.#isTakingOver = true
    const failed = new Set<string>()
    try {
      for (const [id, row] of this.#takenOver) {
        const sender = toHex(row.sender)
        // Those of a sender are sent in their order.
        if (failed.has(sender)) continue
        const taken = await pool.takeOver(row.raw).catch((): Taken => 'later')
        if (this.#isClosed || taken === 'allLater') return
        if (taken === 'settled') this.#takenOver.delete(id)
        else if (failed.add(sender).size === maxRetries) break
      }
      // The others have their turn first.
      for (const [id, row] of [...this.#takenOver])
        if (failed.has(toHex(row.sender))) moveToEnd(this.#takenOver, id, row)
    } finally {
      this.#isTakingOver = false
    }
  }

  /** What this gateway keeps is written again: it may come from its journal, or be older than the database. */
  #onBack(): void {
    for (const transaction of this.#pool?.kept() ?? []) {
      const id = toHex(transaction.hash)
      if (this.#unwritten.size < maxUnwritten) this.#unwritten.set(id, transaction)
    }
    void this.#write()
  }

  /** Writes what waits for it, one statement after the other. Never rejects. */
  async #write(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    try {
      while (this.#adding.length > 0) {
        const page = pageOf(this.#adding, ({ transaction }) => transaction.raw.length)
        await this.#add(this.#adding.splice(0, page.length))
      }
      await this.#writeLate()
    } catch (error) {
      if (!(error instanceof DatabaseAwayError))
        this.#dependencies.log.error({ err: error }, 'transactions could not be written to the fleet')
    } finally {
      this.#isWriting = false
      if (this.#adding.length > 0) void this.#write()
    }
  }

  async #add(waiting: readonly Waiting[]): Promise<void> {
    const transactions = waiting.map(({ transaction }) => transaction)
    this.#willWrite(transactions)
    try {
      await this.#dependencies.rows.add(transactions)
      for (const { resolve } of waiting) resolve()
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }

  /** Writes what nobody waits for. What fails is kept for the next time. */
  async #writeLate(): Promise<void> {
    const { rows, database } = this.#dependencies
    while (this.#unwritten.size > 0 && database.awayReason === undefined) {
      const late = pageOf([...this.#unwritten], ([, { raw }]) => raw.length)
      const transactions = late.map(([, transaction]) => transaction)
      this.#willWrite(transactions)
      await rows.add(transactions)
      for (const [id] of late) this.#unwritten.delete(id)
    }
    for (const state of ['included', 'gone'] as const) {
      const ended = [...this.#ended].filter(([, { state: own }]) => own === state).slice(0, maxEnds)
      if (ended.length === 0 || database.awayReason !== undefined) continue
      await rows.end(
        ended.map(([, { hash }]) => hash),
        state,
      )
      for (const [id, entry] of ended) if (this.#ended.get(id) === entry) this.#ended.delete(id)
    }
  }
}

const moveToEnd = <T>(map: Map<string, T>, id: string, value: T): void => {
  map.delete(id)
  map.set(id, value)
}
