import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { beginStage, endStage } from '../../base/profiling/stages.ts'
import { encodePooledTransaction } from '../../chain/transaction/pooled.ts'
import type { Journal } from '../journal.ts'
import type { TransactionPool } from '../pool.ts'
import type { AddResult, DropReason, PoolTransaction } from '../types.ts'
import { isPassing, type Rejection } from './rejections.ts'

const toPooledBytes = (tx: PoolTransaction): Uint8Array =>
  tx.sidecar === undefined ? tx.raw : encodePooledTransaction(tx)

const idOf = (payload: Uint8Array): string => toHex(keccak256(payload))

/**
 * Returns whether a transaction of the journal may be taken at a later start: prices fall, and one that waits for those
 * before it was taken while they did not count.
 */
const mayBeTakenLater = (rejection: Rejection): boolean =>
  isPassing(rejection) || rejection.kind === 'belowBaseFee' || rejection.kind === 'insufficientFundsForAll'

/** Has the journal hold the local transactions of the pool, and those of the file that are not back in it. */
export class LocalJournal {
  #journal: Journal | undefined
  readonly #onError: (error: unknown) => void
  /** The local transactions of the pool that the journal holds. */
  readonly #written = new Set<PoolTransaction>()
  /** Those that were replaced, until the journal holds the ones in their place: a killed process loses neither. */
  #replaced: PoolTransaction[] = []
  /** What the file held when it was opened and still has to hold: not restored yet, or refused only for now. */
  readonly #unrestored: Map<string, Uint8Array>

  constructor(
    journal: Journal | undefined,
    pool: Pick<TransactionPool, 'events'>,
    onError: (error: unknown) => void,
  ) {
    this.#journal = journal
    this.#onError = onError
    this.#unrestored = new Map(journal?.loaded.map((payload) => [idOf(payload), payload]))
    pool.events.on('dropped', ({ transaction, reason }) => {
      if (this.#written.delete(transaction) && this.#journal) this.#forget(transaction, reason, this.#journal)
    })
  }

  /** The transactions to restore by their ids, in the order in which they were written. */
  get unrestored(): readonly (readonly [id: string, payload: Uint8Array])[] {
    return [...this.#unrestored]
  }

  /** Takes note of what became of one of them. */
  onRestored(id: string, { transaction, rejection }: AddResult): void {
    if (rejection !== undefined && mayBeTakenLater(rejection)) return
    this.#unrestored.delete(id)
    if (transaction !== undefined) this.#written.add(transaction)
  }

  /** Ends a restore of which that many are in the pool; returns how many are not. */
  async onAllRestored(restored: number): Promise<number> {
    const journal = this.#journal
    if (journal === undefined) return 0
    const skipped = journal.loaded.length + journal.damaged - restored
    if (skipped + journal.forgotten > 0) await this.#rewrite(journal)
    return skipped
  }

  /** Writes a transaction of the pool. */
  record(tx: PoolTransaction): void {
    const journal = this.#journal
    if (journal === undefined) return
    const begun = beginStage()
    const payload = toPooledBytes(tx)
    this.#written.add(tx)
    if (this.#unrestored.size > 0) this.#unrestored.delete(idOf(payload))
    // It may be one of them itself, sent again after the one in its place had left.
    const replaced = this.#replaced.filter(({ id }) => id !== tx.id)
    this.#replaced = []
    this.#write(journal, () => journal.append([payload], replaced.map(toPooledBytes)))
    endStage('journal', begun, 1)
  }

  /** Has the journal hold no other transactions than those of the pool. */
  forgetIncluded(): void {
    const journal = this.#journal
    if (journal === undefined) return
    this.#replaced = []
    this.#unrestored.clear()
    this.#write(journal, () => journal.forgetAllBut(this.#payloads()))
  }

  close(): void {
    const journal = this.#journal
    this.#journal = undefined
    if (journal?.needsRewrite) this.#rewriteSync(journal)
    journal?.close()
  }

  /** What left the pool must not come back at the next start. The nonce of one that a block made stale is used. */
  #forget(tx: PoolTransaction, reason: DropReason, journal: Journal): void {
    if (reason === 'included' || reason === 'stale') return
    if (reason === 'replaced') this.#replaced.push(tx)
    else this.#write(journal, () => journal.forget([toPooledBytes(tx)]))
  }

  /** Returns what a new file has to hold, in the order of arrival. */
  #payloads(): readonly Uint8Array[] {
    const written = [...this.#written].sort((a, b) => a.arrival - b.arrival)
    return [...this.#unrestored.values(), ...written.map(toPooledBytes)]
  }

  #write(journal: Journal, write: () => void): void {
    try {
      write()
    } catch {
      // What is acknowledged has to be in the file. A new one may succeed, and is the only way after a failed sync.
      return this.#rewriteSync(journal)
    }
    if (journal.isMostlyStale(this.#written.size + this.#unrestored.size)) void this.#rewrite(journal)
  }

  /** Never rejects. */
  #rewrite(journal: Journal): Promise<void> {
    return journal.rewrite(this.#payloads()).catch(this.#onError)
  }

  #rewriteSync(journal: Journal): void {
    try {
      journal.rewriteSync(this.#payloads())
    } catch (error) {
      this.#onError(error)
    }
  }
}
