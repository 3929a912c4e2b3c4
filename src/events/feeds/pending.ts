import { toHex } from '../../base/encoding/hex.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import type { PoolTransaction } from '../../chain/port/pool.ts'
import type { DeliveryQueue } from '../deliveryQueue.ts'
import { toNotification, toSubscriptionMessage } from '../ethSubscription.ts'
import { Feed } from './feed.ts'

/**
 * The feeds of `newPendingTransactions`: hashes or whole transactions. Those of one event-loop turn are sent
 * together.
 */
export class PendingFeeds {
  readonly #hashes = new Feed()
  readonly #whole = new Feed()
  readonly #deliveries: DeliveryQueue
  #waiting: PoolTransaction[] = []

  constructor(deliveries: DeliveryQueue) {
    this.#deliveries = deliveries
  }

  feed(isWhole: boolean): Feed {
    return isWhole ? this.#whole : this.#hashes
  }

  onPending(transaction: PoolTransaction): void {
    this.#waiting.push(transaction)
    if (this.#waiting.length === 1) setImmediate(() => this.flush())
  }

  /**
   * Delivers the collected transactions. It is called before a block is, so that a transaction is pending before it
   * is in a block.
   */
  flush(): void {
    const transactions = this.#waiting
    if (transactions.length === 0) return
    this.#waiting = []
    this.#deliver(this.#hashes, transactions, ({ hash }) => `"${toHex(hash)}"`)
    this.#deliver(this.#whole, transactions, ({ transaction, hash, sender }) =>
      transactionJson({ transaction, hash, sender, inclusion: undefined }),
    )
  }

  #deliver(
    { members }: Feed,
    transactions: readonly PoolTransaction[],
    encode: (transaction: PoolTransaction) => string,
  ): void {
    if (members.size === 0) return
    const messages = transactions.map((transaction) =>
      toSubscriptionMessage(Buffer.from(encode(transaction), 'latin1')),
    )
    this.#deliveries.add(members, toNotification(messages))
  }
}
