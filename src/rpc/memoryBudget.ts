import { limitExceeded, type RpcError } from './errors.ts'

/** What one request may hold and still count as small. */
const smallBytes = 65_536

/** The part of the budget that requests which are not small may use. The rest is left for the small ones. */
const largeShare = 0.75

/**
 * The memory of everything under way, over all transports: bodies that arrive, results that are built, responses that
 * clients have not read. It is taken before the work and given back when the response is written or nobody waits for it
 * any more. Everything about it is a number, so that a cheap call pays for a few additions.
 */
export class MemoryBudget {
  readonly limit: number
  readonly #largeLimit: number
  #used = 0
  #refused = 0

  constructor(limit: number) {
    this.limit = limit
    this.#largeLimit = Math.floor(limit * largeShare)
  }

  /** The bytes that are taken. */
  get used(): number {
    return this.#used
  }

  /** Whether only small requests may take more. */
  get isTight(): boolean {
    return this.#used > this.#largeLimit
  }

  /** How often there was too little left. */
  get refused(): number {
    return this.#refused
  }

  /** Takes `bytes` for somebody who holds `held` already. Returns false if there is too little left. */
  take(bytes: number, held: number): boolean {
    const used = this.#used + bytes
    if (used > (held + bytes > smallBytes ? this.#largeLimit : this.limit)) {
      this.#refused++
      return false
    }
    this.#used = used
    return true
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#used -= bytes
  }

  /** Counts bytes that are there already, which may exceed the limit; a negative number gives them back. */
  count(bytes: number): void {
    this.#used += bytes
  }

  /** Returns the error for a call that would need more than is left. */
  refusal(): RpcError {
    return limitExceeded(
      `too much is under way: at most ${this.limit} bytes of requests and responses (json-rpc.request-memory)`,
    )
  }
}
