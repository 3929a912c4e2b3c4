import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/log.ts'
import type { RefusedTransaction } from '../../chain/port/pool.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolTransaction } from '../../pool/types.ts'

interface GivenUpDependencies {
  readonly pool: TransactionPool
  readonly now: () => number
  readonly log: Logger
}

/** A nonce that nobody uses any more, before later ones of the same sender. */
interface Gap {
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly reason: string
  readonly since: number
}

/** The number of transactions whose reasons are kept. */
const maxKept = 256

/**
 * Transactions that were acknowledged and can be in no block, with the reasons, for those who ask later. The later ones
 * of a sender wait for another transaction with the nonce, but not for as long as the pool would keep them.
 */
export class GivenUpTransactions {
  readonly #orphanMs: number
  readonly #dependencies: GivenUpDependencies
  readonly #kept = new Map<string, RefusedTransaction>()
  readonly #gaps = new Map<string, Gap>()

  constructor(orphanMs: number, dependencies: GivenUpDependencies) {
    this.#orphanMs = orphanMs
    this.#dependencies = dependencies
  }

  /** The transactions in the order in which they were given up. */
  values(): Iterable<RefusedTransaction> {
    return this.#kept.values()
  }

  /** Records a transaction that has left the pool. */
  add({ id, hash, sender, transaction: { nonce } }: PoolTransaction, reason: string): void {
    this.#keep(id, { hash, sender, nonce, reason, isGivenUp: true })
    const key = toHex(sender)
    const { pool, now } = this.#dependencies
    if (!this.#gaps.has(key) && pool.queuedOf(sender).some((tx) => tx.transaction.nonce > nonce))
      this.#gaps.set(key, { sender, nonce, reason, since: now() })
  }

  /** Forgets a transaction that was sent again and accepted. */
  forget(id: string): void {
    this.#kept.delete(id)
  }

  /** Gives up the transactions behind a nonce that nobody has used for too long. */
  dropOrphans(): void {
    const { pool, now, log } = this.#dependencies
    for (const [key, { sender, nonce, reason, since }] of this.#gaps) {
      const isFilled = pool.nextNonce(sender) > nonce
      if (!isFilled && now() - since < this.#orphanMs) continue
      this.#gaps.delete(key)
      if (isFilled) continue
      const orphans = pool.queuedOf(sender).filter((tx) => tx.isLocal && tx.transaction.nonce > nonce)
      const why = `it waited behind nonce ${nonce}, which was given up: ${reason}`
      for (const { id, hash, transaction } of orphans) {
        log.warn({ hash: id, why }, 'a transaction is given up')
        pool.remove(hash)
        this.#keep(id, { hash, sender, nonce: transaction.nonce, reason: why, isGivenUp: true })
      }
    }
  }

  #keep(id: string, refused: RefusedTransaction): void {
    this.#kept.delete(id)
    this.#kept.set(id, refused)
    if (this.#kept.size <= maxKept) return
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
