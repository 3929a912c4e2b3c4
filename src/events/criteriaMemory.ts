import { limitExceeded } from '../chain/chainError.ts'
import type { LogPattern } from '../chain/port/logs.ts'

/** The memory of a filter or subscription without criteria: its entries in tables, its id and its position. */
const bytesEach = 600

/** The memory of an address, topic or hash: the bytes themselves are the least of it. */
const bytesPerItem = 400

/** The client for which memory is taken: an address, a key or a connection. */
export type MemoryClient = object | string

/**
 * The memory of the criteria of all filters and subscriptions together, which clients may leave behind. A client may hold
 * as much as it leaves free: one alone gets half of the memory, two get a third each, and there is always some left for
 * one that has nothing yet.
 */
export class CriteriaMemory {
  readonly #limit: number
  readonly #held = new Map<MemoryClient, number>()
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /** Returns what a client holds. */
  heldBy(client: MemoryClient): number {
    return this.#held.get(client) ?? 0
  }

  /** Returns whether a client could take memory if so many bytes were given back, those of its own among them. */
  hasRoom(
    client: MemoryClient,
    bytes: number,
    freed: { readonly own: number; readonly all: number },
  ): boolean {
    return this.heldBy(client) - freed.own + bytes <= this.#limit - this.#used + freed.all
  }

  /** Takes memory for a client; returns false if there is too little. */
  take(client: MemoryClient, bytes: number): boolean {
    if (!this.hasRoom(client, bytes, nothing)) return false
    this.#used += bytes
    this.#held.set(client, this.heldBy(client) + bytes)
    return true
  }

  give(client: MemoryClient, bytes: number): void {
    this.#used -= bytes
    const left = this.heldBy(client) - bytes
    if (left > 0) this.#held.set(client, left)
    else this.#held.delete(client)
  }

  refusal() {
    return limitExceeded(
      `too many filters and subscriptions: at most ${this.#limit} bytes for all of them, of which one client may hold ` +
        'as much as it leaves to others (json-rpc.filter-memory)',
    )
  }
}

const nothing = { own: 0, all: 0 }

/** Returns the memory of a filter or subscription with so many addresses, topics or hashes. */
export const criteriaBytes = (items: number): number => bytesEach + items * bytesPerItem

/** Returns the number of addresses and topics of a pattern. */
export const patternItems = ({ addresses, topics }: LogPattern): number =>
  topics.reduce((sum, { length }) => sum + length, addresses.length)
