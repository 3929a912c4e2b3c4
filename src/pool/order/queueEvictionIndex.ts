import type { PoolTransaction } from '../types.ts'
import { Heap } from './heap.ts'
import { effectiveTip } from './prices.ts'

interface Priced {
  readonly transaction: PoolTransaction
  readonly price: bigint
}

const isEvictedBefore = (a: Priced, b: Priced): boolean =>
  a.price === b.price ? a.transaction.arrival > b.transaction.arrival : a.price < b.price

/**
 * The order in which queued transactions are evicted when the queue is full: the cheapest first, and of those
 * the latest.
 */
export class QueueEvictionIndex {
  readonly #baseFee: bigint
  readonly #isQueued: (tx: PoolTransaction) => boolean
  readonly #heap: Heap<Priced>

  constructor(
    queued: Iterable<PoolTransaction>,
    baseFee: bigint,
    isQueued: (tx: PoolTransaction) => boolean,
  ) {
    this.#baseFee = baseFee
    this.#isQueued = isQueued
    this.#heap = new Heap(
      isEvictedBefore,
      [...queued].map((tx) => this.#priced(tx)),
    )
  }

  /** The number of entries, including those of transactions that have left the queue since. */
  get size(): number {
    return this.#heap.size
  }

  add(transaction: PoolTransaction): void {
    this.#heap.push(this.#priced(transaction))
  }

  /**
   * Returns the transactions to evict to free `slots` for a transaction; undefined if not enough are cheaper than it.
   */
  selectEvictions(slots: number, incoming: PoolTransaction): readonly PoolTransaction[] | undefined {
    const price = effectiveTip(incoming, this.#baseFee)
    const taken = new Set<PoolTransaction>()
    for (let missing = slots; missing > 0; ) {
      const cheapest = this.#peek()
      if (cheapest === undefined || cheapest.price >= price) {
        for (const transaction of taken) this.add(transaction)
        return undefined
      }
      this.#heap.pop()
      // A transaction that left the queue and came back has two entries.
      if (taken.has(cheapest.transaction)) continue
      taken.add(cheapest.transaction)
      missing -= cheapest.transaction.slots
    }
    return [...taken]
  }

  popCheapest(): PoolTransaction | undefined {
    const cheapest = this.#peek()
    this.#heap.pop()
    return cheapest?.transaction
  }

  /** Returns the cheapest transaction that is still queued, and discards stale entries before it. */
  #peek(): Priced | undefined {
    for (;;) {
      const first = this.#heap.peek()
      if (first === undefined || this.#isQueued(first.transaction)) return first
      this.#heap.pop()
    }
  }

  #priced(transaction: PoolTransaction): Priced {
    return { transaction, price: effectiveTip(transaction, this.#baseFee) }
  }
}
