import { toHex } from '../../base/hex.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { Admission } from '../../pool/types.ts'

interface ExternalTransactionsDependencies {
  readonly pool: TransactionPool
  /** CometBFT's `unconfirmed_txs`. */
  readonly unconfirmed: (limit: number, signal: AbortSignal) => Promise<readonly Uint8Array[]>
  readonly admit: (raw: Uint8Array) => Promise<Admission>
  /** One of ours is seen there. */
  readonly onLocalSeen: (id: string) => void
  readonly now: () => number
}

/** CometBFT shows no more at once. */
const limit = 100
const timeoutMs = 3_000
/** How long one is kept that a list too short to show all does not show. */
const unseenMs = 60_000

/**
 * What others sent to the chain, as far as its node shows it, so that nonces and pool views count it. Nothing of it is
 * sent again from here, and it goes when the node does not show it any more.
 */
export class ExternalTransactions {
  readonly #dependencies: ExternalTransactionsDependencies
  readonly #seen = new Map<string, { readonly hash: Uint8Array; at: number }>()
  /** The node shows what waits there; some never do. */
  isShown = false
  #underWay: Promise<void> | undefined
  #readAt = Number.NEGATIVE_INFINITY

  constructor(dependencies: ExternalTransactionsDependencies) {
    this.#dependencies = dependencies
    dependencies.pool.events.on('dropped', ({ transaction }) => this.#seen.delete(transaction.id))
  }

  /** Looks again, unless that was done within the last milliseconds. Never throws. */
  refresh(maxAgeMs: number, closing: AbortSignal): Promise<void> {
    if (this.#dependencies.now() - this.#readAt < maxAgeMs) return Promise.resolve()
    this.#underWay ??= this.#merge(AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]))
      // A node that does not tell is no reason to answer nobody.
      .catch(() => {})
      .finally(() => {
        this.#readAt = this.#dependencies.now()
        this.#underWay = undefined
      })
    return this.#underWay
  }

  async #merge(signal: AbortSignal): Promise<void> {
    const { pool, unconfirmed, admit, onLocalSeen: onOwn, now } = this.#dependencies
    const transactions = await unconfirmed(limit, signal)
    if (transactions.length > 0) this.isShown = true
    const shown = new Set<string>()
    for (const { raw, hash } of transactions.flatMap((bytes) => decodeContents(bytes)?.ethereum ?? [])) {
      const id = toHex(hash)
      shown.add(id)
      const own = pool.get(hash)
      if (own?.isLocal) onOwn(id)
      else if (own !== undefined || (await admit(raw)).transaction !== undefined)
        this.#seen.set(id, { hash, at: now() })
      if (signal.aborted) return
    }
    const isComplete = transactions.length < limit
    for (const [id, { hash, at }] of [...this.#seen])
      if (!shown.has(id) && (isComplete || now() - at > unseenMs)) pool.remove(hash)
  }
}
