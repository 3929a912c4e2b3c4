import { limitExceeded } from '../chain/chainError.ts'
import type { LogPattern } from '../chain/port/logs.ts'

/** The memory of a filter or subscription without criteria: its entries in tables, its id and its position. */
const bytesEach = 600

/** The memory of an address, topic or hash: the bytes themselves are the least of it. */
const bytesPerItem = 400

/** The memory of the criteria of all filters and subscriptions together, which clients may leave behind. */
export class CriteriaMemory {
  readonly #limit: number
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** Takes memory; returns false if there is too little. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }

  refusal() {
    return limitExceeded(
      `too many filters and subscriptions: at most ${this.#limit} bytes for all of them (json-rpc.filter-memory)`,
    )
  }
}

/** Returns the memory of a filter or subscription with so many addresses, topics or hashes. */
export const criteriaBytes = (items: number): number => bytesEach + items * bytesPerItem

/** Returns the number of addresses and topics of a pattern. */
export const patternItems = ({ addresses, topics }: LogPattern): number =>
  topics.reduce((sum, { length }) => sum + length, addresses.length)
