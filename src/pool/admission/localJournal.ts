import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { beginStage, endStage } from '../../base/profiling/stages.ts'
import { encodePooledTransaction } from '../../chain/transaction/pooled.ts'
import type { Journal } from '../journal.ts'
import type { TransactionPool } from '../pool.ts'
import type { AddResult, DropReason, PoolTransaction } from '../types.ts'

const toPooledBytes = (tx: PoolTransaction): Uint8Array =>
  tx.sidecar === undefined ? tx.raw : encodePooledTransaction(tx)

const idOf = (payload: Uint8Array): string => toHex(keccak256(payload))

interface RecordResult {
  /** False if it is lost when this process ends: it must not be acknowledged. */
  readonly isKept: boolean
  /** The acknowledged transactions in whose place it is. */
  readonly replaced: readonly PoolTransaction[]
}

/** How often a file that lacks records is tried to be rewritten. */
const retryMs = 1_000

/** Has the journal hold the local transactions of the pool, parked ones among them, and those that are not restored yet. */
export class LocalJournal {
  #journal: Journal | undefined
  #isClosed = false
  readonly #onError: (error: unknown) => void
  /** The local transactions of the pool that the journal holds. */
  readonly #written = new Set<PoolTransaction>()
  /** Those that were replaced, until each is marked in one write with the one in its place: a killed process has either. */
  #replaced: PoolTransaction[] = []
  /** When a file that lacks records is rewritten at the earliest; undefined if it has all. */
  #retryAt: number | undefined
  /** What the file held when it was opened and was not restored yet. */
  readonly #unrestored: Map<string, Uint8Array>

  constructor(
    journal: Journal | undefined,
    pool: Pick<TransactionPool, 'events' | 'recordLeaving'>,
    onError: (error: unknown) => void,
  ) {
    this.#journal = journal
    this.#onError = onError
    this.#unrestored = new Map(journal?.loaded.map((payload) => [idOf(payload), payload]))
    pool.events.on('dropped', ({ transaction, reason }) => {
      if (this.#written.delete(transaction) && this.#journal) this.#forget(transaction, reason, this.#journal)
    })
    pool.recordLeaving = (transactions) => this.#recordLeaving(transactions)
    // If it cannot be written, the file has what it replaced, until the next write has it instead.
    pool.events.on('kept', (tx) => this.#append(tx, this.#takeReplaced(tx)))
  }

  /** The transactions to restore by their ids, in the order in which they were written. */
  get unrestored(): ReadonlyMap<string, Uint8Array> {
    return this.#unrestored
  }

  /** Takes note of what became of one of them. */
  onRestored(id: string, { transaction, rejection }: AddResult): void {
    // The process ends before its sender was known: the next one restores it.
    if (rejection?.kind === 'busy') return
    this.#unrestored.delete(id)
    if (transaction !== undefined) this.#written.add(transaction)
  }

  /** Ends a restore that pooled or parked so many; returns how many were skipped, and how many were damaged. */
  async onAllRestored(restored: number): Promise<{ readonly skipped: number; readonly damaged: number }> {
    const journal = this.#journal
    if (journal === undefined) return { skipped: 0, damaged: 0 }
    // The new file is without those that later ones of the old file replaced.
    this.#replaced = []
    const skipped = journal.loaded.length + journal.damaged - restored
    if (skipped + journal.forgotten > 0) await this.#rewrite(journal)
    return { skipped, damaged: journal.damaged }
  }

  /** Returns whether a transaction can be recorded now. A file that lacks records is rewritten first. */
  canRecord(): boolean {
    const journal = this.#journal
    return journal === undefined || this.#retryAt === undefined || this.#rewriteSync(journal)
  }

  /** Writes a transaction that the pool has just added. If it cannot be written, the caller puts back what it replaced. */
  record(tx: PoolTransaction): RecordResult {
    const replaced = this.#takeReplaced(tx)
    const isKept = this.#append(tx, replaced)
    if (!isKept) {
      this.#written.delete(tx)
      for (const old of replaced) this.#written.add(old)
    }
    return { isKept, replaced }
  }

  /** Returns whether it is in the file. The next file has it anyway. */
  #append(tx: PoolTransaction, replaced: readonly PoolTransaction[]): boolean {
    const journal = this.#journal
    // After `close` nothing is kept: a transaction that is sent while the process ends is rejected.
    if (journal === undefined) return !this.#isClosed
    const begun = beginStage()
    const payload = toPooledBytes(tx)
    const id = this.#unrestored.size > 0 ? idOf(payload) : ''
    const unrestored = this.#unrestored.get(id)
    this.#unrestored.delete(id)
    this.#written.add(tx)
    const isKept = this.#write(journal, () => journal.append([payload], replaced.map(toPooledBytes)))
    if (!isKept && unrestored !== undefined) this.#unrestored.set(id, unrestored)
    endStage('journal', begun, 1)
    return isKept
  }

  /** Returns what was replaced by a transaction, once. */
  #takeReplaced(tx: PoolTransaction): readonly PoolTransaction[] {
    if (this.#replaced.length === 0) return []
    const sender = toHex(tx.sender)
    const isOfPlace = (old: PoolTransaction): boolean =>
      old.transaction.nonce === tx.transaction.nonce && toHex(old.sender) === sender
    const own = this.#replaced.filter(isOfPlace)
    this.#replaced = this.#replaced.filter((old) => !isOfPlace(old))
    // It may be one of them itself, sent again after the one in its place had left.
    return own.filter(({ id }) => id !== tx.id)
  }

  /** Has the journal hold no other transactions than those of the pool, and those that are not restored yet. */
  forgetIncluded(): void {
    const journal = this.#journal
    if (journal === undefined) return
    this.#replaced = []
    this.#write(journal, () => journal.forgetAllBut(this.#payloads()))
  }

  close(): void {
    const journal = this.#journal
    this.#journal = undefined
    this.#isClosed = true
    if (journal !== undefined && (journal.needsRewrite || this.#retryAt !== undefined)) {
      this.#retryAt = undefined
      this.#rewriteSync(journal)
    }
    journal?.close()
  }

  /** Marks those that the file has, in one write. Returns false if they are still in it. */
  #recordLeaving(transactions: readonly PoolTransaction[]): boolean {
    const journal = this.#journal
    const own = transactions.filter((tx) => this.#written.delete(tx))
    if (journal === undefined || own.length === 0) return true
    if (this.#write(journal, () => journal.forget(own.map(toPooledBytes)))) return true
    for (const tx of own) this.#written.add(tx)
    return false
  }

  /** What left the pool must not come back at the next start. The nonce of one that a block made stale is used. */
  #forget(tx: PoolTransaction, reason: DropReason, journal: Journal): void {
    if (reason === 'included' || reason === 'stale') return
    if (reason === 'replaced') this.#replaced.push(tx)
    else this.#write(journal, () => journal.forget([toPooledBytes(tx)]))
  }

  /** Returns what a new file must hold, in the order of arrival. */
  #payloads(): readonly Uint8Array[] {
    const written = [...this.#written].sort((a, b) => a.arrival - b.arrival)
    return [...this.#unrestored.values(), ...written.map(toPooledBytes)]
  }

  /** Returns whether the file has all that it should. */
  #write(journal: Journal, write: () => void): boolean {
    if (this.#retryAt !== undefined) return this.#rewriteSync(journal)
    try {
      write()
    } catch {
      // What is acknowledged must be in the file. A new one may succeed, and is the only way after a failed sync.
      return this.#rewriteSync(journal)
    }
    if (journal.isMostlyStale(this.#written.size + this.#unrestored.size)) void this.#rewrite(journal)
    return true
  }

  /** Never rejects. */
  #rewrite(journal: Journal): Promise<void> {
    return journal.rewrite(this.#payloads()).catch(this.#onError)
  }

  #rewriteSync(journal: Journal): boolean {
    if (this.#retryAt !== undefined && performance.now() < this.#retryAt) return false
    try {
      journal.rewriteSync(this.#payloads())
      this.#retryAt = undefined
      return true
    } catch (error) {
      this.#retryAt = performance.now() + retryMs
      this.#onError(error)
      return false
    }
  }
}
