import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'
import { isUnavailable } from '../../chain/chainError.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { Pool, PoolTransaction, RefusedTransaction } from '../../chain/port/pool.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { isPassing, type Rejection, type RejectionKind } from '../../pool/admission/rejections.ts'
import { decodeSubmission } from '../../pool/admission/submission.ts'
import type { Journal } from '../../pool/journal.ts'
import type { AddResult, PoolHead } from '../../pool/types.ts'
import type { UnrestoredTransactions } from './unrestoredTransactions.ts'

interface UncheckedOptions {
  readonly retryMs: number
  /** How long a transaction is tried again that is rejected only for now. */
  readonly lifetimeMs: number
  readonly maxBytes?: number
  readonly maxOfSender?: number
}

interface UncheckedDependencies {
  /** Submits a transaction to the pool; rejects with a `ChainError` of kind `unavailable` while no upstream answers. */
  readonly submit: (raw: Uint8Array) => Promise<AddResult>
  /** The acknowledged transactions of the pool's journal that wait for the chain too: they are shown with those held here. */
  readonly unrestored: UnrestoredTransactions
  readonly head: () => PoolHead
  /** Called when the chain rejects a transaction that was kept. */
  readonly onRefused?: (hash: Uint8Array) => void
  readonly log: Logger
  /** The journal of what is held, which is closed with it. */
  readonly journal: Journal
}

/** A transaction that waits, and since when it is rejected only for now. */
interface Held {
  readonly transaction: PoolTransaction
  refusedSince?: number
}

const maxHeld = 10_000
/** How many transactions of the pool's journal are shown: the senders of those that are shown are recovered in one turn. */
const maxUnrestored = 10_000
const maxRefused = 256
const waitText = 'kept here until the chain answers: its account is not known yet'

/** Returns a transaction with its sender; undefined if it cannot be decoded, or its signature is invalid. */
export const decodeSigned = (raw: Uint8Array, fork: Fork): PoolTransaction | undefined => {
  const { submission } = decodeSubmission(raw)
  const sender = submission && recoverSender(submission.transaction, fork)
  return submission && sender && { ...submission, sender }
}

type PoolContent = ReturnType<Pool['content']>

/** Adds what waits to the queued transactions of its sender, one of each nonce: that of the pool, or the newest. */
const addWaiting = (
  queued: readonly PoolTransaction[],
  inPool: readonly PoolTransaction[],
  waiting: Iterable<PoolTransaction>,
): readonly PoolTransaction[] => {
  const known = new Set(inPool.map(({ transaction }) => transaction.nonce))
  const byNonce = new Map<bigint, PoolTransaction>()
  for (const held of waiting)
    if (!known.has(held.transaction.nonce)) byNonce.set(held.transaction.nonce, held)
  return [...queued, ...byNonce.values()].sort((one, other) =>
    one.transaction.nonce < other.transaction.nonce ? -1 : 1,
  )
}

/** The pool has no room: it is not asked for the rest now. */
const fullKinds: readonly RejectionKind[] = ['busy', 'poolFull']

type Outcome =
  | { readonly kind: 'away' | 'sent' }
  | { readonly kind: 'passing' | 'refused'; readonly reason: string; readonly isFull: boolean }

const toOutcome = (rejection: Rejection | undefined): Outcome => {
  if (rejection === undefined || rejection.kind === 'alreadyKnown') return { kind: 'sent' }
  const { kind, message: reason } = rejection
  return {
    kind: isPassing(rejection) ? 'passing' : 'refused',
    reason,
    isFull: fullKinds.includes(kind),
  }
}

/**
 * Transactions that came while no upstream answered, of accounts that nobody could ask for. They are kept across
 * restarts, and submitted in their order when the chain is back; what it rejects then can be read with the reason.
 */
export class UncheckedTransactions {
  readonly #options: Required<UncheckedOptions>
  readonly #dependencies: UncheckedDependencies
  readonly #held = new Map<string, Held>()
  readonly #refused = new Map<string, RefusedTransaction>()
  readonly #bySender = new Map<string, Map<string, PoolTransaction>>()
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  /** Whether the journal has transactions that are not held any more. */
  #isStale = false
  #isClosed = false

  constructor(options: UncheckedOptions, dependencies: UncheckedDependencies) {
    this.#options = { maxBytes: 64 * 1024 * 1024, maxOfSender: 1_000, ...options }
    this.#dependencies = dependencies
    for (const raw of dependencies.journal.loaded) {
      const transaction = decodeSigned(raw, dependencies.head().fork)
      if (transaction !== undefined) this.#hold(transaction)
    }
    if (this.#held.size > 0) this.#tryLater()
  }

  /** Keeps a transaction. Returns its hash; undefined if there is no room. Throws if it cannot be written. */
  keep(raw: Uint8Array): Uint8Array | undefined {
    const known = this.#held.get(toHex(keccak256(raw)))
    if (known !== undefined) return known.transaction.hash
    const transaction = decodeSigned(raw, this.#dependencies.head().fork)
    if (transaction === undefined || !this.#hasRoom(transaction)) return undefined
    // Before it is held: who is notified of an error sends it again, or something else.
    this.#dependencies.journal.append([transaction.raw])
    this.#hold(transaction)
    const { hash } = transaction
    this.#dependencies.log.info({ hash: toHex(hash) }, 'a transaction is kept until the chain answers')
    this.#tryLater()
    return hash
  }

  /** Removes a transaction that was kept, and that nobody was notified of. */
  release(hash: Uint8Array): void {
    const id = toHex(hash)
    const held = this.#held.get(id)
    if (held === undefined) return
    this.#release(id, held.transaction)
    this.#isStale = true
    this.#forget(held.transaction.raw)
  }

  /** Returns all that waits. */
  values(): readonly PoolTransaction[] {
    return [...this.#held.values()].map(({ transaction }) => transaction)
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    if (this.size === 0) return undefined
    const id = toHex(hash)
    return this.#held.get(id)?.transaction ?? this.#dependencies.unrestored.get(id)
  }

  get size(): number {
    return this.#held.size + this.#dependencies.unrestored.size
  }

  /** Returns the content of a pool with what waits here as queued. */
  addTo({ pending, queued }: PoolContent): PoolContent {
    if (this.size === 0) return { pending, queued }
    const bySender = new Map<string, PoolTransaction[]>()
    // In the order in which they came: of equal nonces the newest is shown.
    for (const transaction of [...this.#dependencies.unrestored.values(maxUnrestored), ...this.values()]) {
      const sender = toHex(transaction.sender)
      const others = bySender.get(sender)
      if (others === undefined) bySender.set(sender, [transaction])
      else others.push(transaction)
    }
    const added = [...bySender].map(([sender, waiting]) => {
      const inPool = [...(pending.get(sender) ?? []), ...(queued.get(sender) ?? [])]
      return [sender, addWaiting(queued.get(sender) ?? [], inPool, waiting)] as const
    })
    const shown = added.filter(([, transactions]) => transactions.length > 0)
    return { pending, queued: new Map([...queued, ...shown]) }
  }

  /** Returns the queued transactions of one sender with what waits here. */
  addToQueued(
    sender: Uint8Array,
    { pending, queued }: ReturnType<Pool['contentOf']>,
  ): readonly PoolTransaction[] {
    if (this.size === 0) return queued
    const unrestored = this.#dependencies.unrestored
      .values(maxUnrestored)
      .filter((transaction) => equalBytes(transaction.sender, sender))
    const held = this.#bySender.get(toHex(sender))?.values() ?? []
    return addWaiting(queued, [...pending, ...queued], [...unrestored, ...held])
  }

  /** Returns what waits, and what the chain rejected at last. */
  refusals(): readonly RefusedTransaction[] {
    const held = [...this.#held.values()].slice(-maxRefused).map(({ transaction }) => transaction)
    const waiting = [...this.#dependencies.unrestored.values(maxRefused), ...held].slice(-maxRefused)
    return [
      ...this.#refused.values(),
      ...waiting.map(({ hash, sender, transaction }) => ({
        hash,
        sender,
        nonce: transaction.nonce,
        reason: waitText,
        isGivenUp: false,
      })),
    ]
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#dependencies.journal.close()
  }

  #hasRoom({ sender, raw }: PoolTransaction): boolean {
    const { maxBytes, maxOfSender } = this.#options
    return (
      this.#held.size < maxHeld &&
      this.#bytes + raw.length <= maxBytes &&
      (this.#bySender.get(toHex(sender))?.size ?? 0) < maxOfSender
    )
  }

  #hold(transaction: PoolTransaction): void {
    const id = toHex(transaction.hash)
    if (this.#held.has(id)) return
    this.#held.set(id, { transaction })
    const sender = toHex(transaction.sender)
    const ofSender = this.#bySender.get(sender) ?? new Map<string, PoolTransaction>()
    this.#bySender.set(sender, ofSender.set(id, transaction))
    this.#bytes += transaction.raw.length
  }

  #release(id: string, { sender, raw }: PoolTransaction): void {
    this.#held.delete(id)
    const ofSender = this.#bySender.get(toHex(sender))
    ofSender?.delete(id)
    if (ofSender?.size === 0) this.#bySender.delete(toHex(sender))
    this.#bytes -= raw.length
  }

  #tryLater(): void {
    this.#timer ??= setTimeout(async () => {
      try {
        await this.#submitAll()
      } finally {
        this.#timer = undefined
        if ((this.#held.size > 0 || this.#isStale) && !this.#isClosed) this.#tryLater()
      }
    }, this.#options.retryMs).unref()
  }

  /** Submits all in their order; ends at the first that nobody answers for, or that there is no room for. */
  async #submitAll(): Promise<void> {
    for (const [id, held] of this.#held) {
      const outcome = await this.#submit(held)
      if (this.#isClosed || outcome.kind === 'away') return
      if (outcome.kind === 'passing') {
        if (outcome.isFull) break
        continue
      }
      this.#release(id, held.transaction)
      this.#isStale = true
      this.#forget(held.transaction.raw)
      if (outcome.kind === 'refused') this.#refuse(id, held.transaction, outcome.reason)
    }
    if (!this.#isStale) return
    this.#isStale = false
    const raws = [...this.#held.values()].map(({ transaction }) => transaction.raw)
    await this.#dependencies.journal.rewrite(raws).catch((error: unknown) => {
      this.#isStale = true
      this.#onJournalError(error)
    })
  }

  #forget(raw: Uint8Array): void {
    try {
      this.#dependencies.journal.forget([raw])
    } catch (error) {
      this.#onJournalError(error)
    }
  }

  /** What is rejected for now is rejected for good if that lasts too long. */
  async #submit(held: Held): Promise<Outcome> {
    const outcome = await this.#dependencies.submit(held.transaction.raw).then(
      ({ rejection }) => toOutcome(rejection),
      (error: Error): Outcome =>
        isUnavailable(error) ? { kind: 'away' } : { kind: 'passing', reason: error.message, isFull: false },
    )
    if (outcome.kind !== 'passing') return outcome
    held.refusedSince ??= performance.now()
    const isOver = performance.now() - held.refusedSince > this.#options.lifetimeMs
    return isOver ? { ...outcome, kind: 'refused' } : outcome
  }

  /** What cannot be reverted in the journal is submitted again after a restart, and is known or used then. */
  #onJournalError(error: unknown): void {
    const { log } = this.#dependencies
    log.error({ err: error }, 'the journal of transactions that wait for the chain cannot be written')
  }

  #refuse(id: string, { hash, sender, transaction: { nonce } }: PoolTransaction, reason: string): void {
    this.#dependencies.log.warn({ hash: id, why: reason }, 'a kept transaction was rejected')
    this.#dependencies.onRefused?.(hash)
    this.#refused.set(id, { hash, sender, nonce, reason, isGivenUp: true })
    const [oldest] = this.#refused.keys()
    if (this.#refused.size > maxRefused && oldest !== undefined) this.#refused.delete(oldest)
  }
}
