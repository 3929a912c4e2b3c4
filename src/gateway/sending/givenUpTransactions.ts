import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { RefusedTransaction } from '../../chain/port/pool.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { DropReason, PoolTransaction } from '../../pool/types.ts'
import type { GivenUpFile, NonceGap } from './givenUpFile.ts'

interface GivenUpDependencies {
  readonly pool: TransactionPool
  readonly now: () => number
  readonly log: Logger
  /** Keeps them across restarts; undefined if they are not kept. */
  readonly file?: Pick<GivenUpFile, 'load' | 'saveSoon'> | undefined
}

interface Gap extends NonceGap {
  /** Since when each of the later ones waits behind the nonce. */
  readonly waiting: WeakMap<PoolTransaction, number>
}

/** What is said of transactions that the pool drops at a new head. */
const accountReasons: Partial<Record<DropReason, string>> = {
  stale: 'another transaction used its nonce',
  unpayable: 'its sender cannot pay it any more',
  invalid: 'the rules of the chain, or code of its sender, do not allow it any more',
}

/** The number of transactions whose reasons are kept. */
export const maxKept = 256

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
    const { transactions = [], gaps = [] } = dependencies.file?.load() ?? {}
    for (const refused of transactions) this.#kept.set(toHex(refused.hash), refused)
    for (const gap of gaps) this.#gaps.set(toHex(gap.sender), { ...gap, waiting: new WeakMap() })
  }

  /** The transactions in the order in which they were given up. */
  values(): Iterable<RefusedTransaction> {
    return this.#kept.values()
  }

  /** Records a transaction that the pool has dropped because of its sender's account, or of the rules. */
  onDropped(tx: PoolTransaction, reason: DropReason): void {
    const why = accountReasons[reason]
    if (why === undefined || !tx.isLocal) return
    this.#dependencies.log.warn({ hash: tx.id, why }, 'a transaction is given up')
    this.add(tx, why)
  }

  /** Records a transaction that was acknowledged, and has left the pool. */
  add({ id, hash, sender, transaction: { nonce } }: PoolTransaction, reason: string): void {
    this.#keep(id, { hash, sender, nonce, reason, isGivenUp: true })
    const key = toHex(sender)
    if (this.#gaps.has(key)) return
    const gap: Gap = { sender, nonce, reason, waiting: new WeakMap() }
    if (this.#waitTimes(gap).length > 0) this.#gaps.set(key, gap)
  }

  #save(): void {
    this.#dependencies.file?.saveSoon(() => ({
      transactions: [...this.#kept.values()],
      gaps: [...this.#gaps.values()],
    }))
  }

  /** Forgets a transaction that was sent again and accepted. */
  forget(id: string): void {
    if (this.#kept.delete(id)) this.#save()
  }

  /**
   * Gives up the transactions behind a nonce that nobody has used for too long. To be called when the transactions of
   * the journal are back in the pool.
   */
  dropOrphans(): void {
    const { pool, log } = this.#dependencies
    for (const [key, gap] of this.#gaps) {
      const { sender, nonce, reason } = gap
      const waiting = this.#waitTimes(gap)
      if (waiting.length === 0 || pool.nextNonce(sender) > nonce) {
        this.#gaps.delete(key)
        this.#save()
        continue
      }
      const why = `it waited behind nonce ${nonce}, which was given up: ${reason}`
      for (const { tx, milliseconds } of waiting) {
        if (milliseconds < this.#orphanMs) continue
        log.warn({ hash: tx.id, why }, 'a transaction is given up')
        pool.remove(tx.hash)
        this.#keep(tx.id, {
          hash: tx.hash,
          sender,
          nonce: tx.transaction.nonce,
          reason: why,
          isGivenUp: true,
        })
      }
    }
  }

  /** Returns how long each transaction has waited behind a nonce; those that came since then wait from now on. */
  #waitTimes({ sender, nonce, waiting }: Gap): readonly { tx: PoolTransaction; milliseconds: number }[] {
    const { pool, now } = this.#dependencies
    const behind = pool.queuedOf(sender).filter((tx) => tx.isLocal && tx.transaction.nonce > nonce)
    return behind.map((tx) => {
      const since = waiting.get(tx) ?? now()
      waiting.set(tx, since)
      return { tx, milliseconds: now() - since }
    })
  }

  #keep(id: string, refused: RefusedTransaction): void {
    this.#save()
    this.#kept.delete(id)
    this.#kept.set(id, refused)
    if (this.#kept.size <= maxKept) return
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
  }
}
