import { withAnySignal } from '../../base/abort.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { AddResult } from '../../pool/types.ts'

interface ExternalTransactionsDependencies {
  readonly pool: TransactionPool
  /** Fetches CometBFT's `unconfirmed_txs`. */
  readonly unconfirmed: (limit: number, signal: AbortSignal) => Promise<readonly Uint8Array[]>
  readonly admit: (raw: Uint8Array) => Promise<AddResult>
  /** Returns whether another gateway of a fleet keeps a transaction, which stays whatever a mempool shows. */
  readonly isShared?: (id: string) => boolean
  /** Called when a local transaction is seen in the upstream's mempool. */
  readonly onLocalSeen: (id: string) => void
  readonly now: () => number
}

/** The largest number of transactions that CometBFT lists. */
const limit = 100
const timeoutMs = 3_000
/** How long a transaction is kept that a truncated mempool list does not show. */
const unseenMs = 60_000

/**
 * Transactions that others sent, as far as an upstream's mempool shows them. They count for nonces and pool queries,
 * are never sent from here, and are dropped when the upstream does not show them any more.
 */
export class ExternalTransactions {
  readonly #dependencies: ExternalTransactionsDependencies
  readonly #seen = new Map<string, { readonly hash: Uint8Array; at: number }>()
  /** Whether the upstream shows its mempool; some never do. */
  isMempoolVisible = false
  #refreshing: Promise<void> | undefined
  #readAt = Number.NEGATIVE_INFINITY

  constructor(dependencies: ExternalTransactionsDependencies) {
    this.#dependencies = dependencies
    dependencies.pool.events.on('dropped', ({ transaction }) => this.#seen.delete(transaction.id))
  }

  /** Fetches the list again if it is older than `maxAgeMs`. Never throws. */
  refresh(maxAgeMs: number, closing: AbortSignal): Promise<void> {
    if (this.#dependencies.now() - this.#readAt < maxAgeMs) return Promise.resolve()
    this.#refreshing ??= withAnySignal([closing], (signal) => this.#merge(signal), { timeoutMs })
      // If the upstream does not answer, requests are answered without its mempool.
      .catch(() => {})
      .finally(() => {
        this.#readAt = this.#dependencies.now()
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  async #merge(signal: AbortSignal): Promise<void> {
    const { pool, unconfirmed, admit, onLocalSeen, isShared, now } = this.#dependencies
    const transactions = await unconfirmed(limit, signal)
    if (transactions.length > 0) this.isMempoolVisible = true
    const shown = new Set<string>()
    for (const { raw, hash } of transactions.flatMap((bytes) => decodeContents(bytes)?.ethereum ?? [])) {
      const id = toHex(hash)
      shown.add(id)
      const pooled = pool.get(hash)
      if (pooled?.isLocal || (pooled && isShared?.(id))) onLocalSeen(id)
      else if (pooled !== undefined || (await admit(raw)).transaction !== undefined)
        this.#seen.set(id, { hash, at: now() })
      if (signal.aborted) return
    }
    const isComplete = transactions.length < limit
    for (const [id, { hash, at }] of [...this.#seen]) {
      // What was submitted here too is sent again instead.
      if (pool.get(hash)?.isLocal || isShared?.(id)) this.#seen.delete(id)
      else if (!shown.has(id) && (isComplete || now() - at > unseenMs)) pool.remove(hash)
    }
  }
}
