import type { MemoryBudget } from '../memoryBudget.ts'

/** The most that Node reads from a socket at once. */
const maxChunkBytes = 65_536

/**
 * The bytes of a message that a connection has sent in part. They count against the budget of all requests, those of
 * messages that were whole as they came do not: each of these is a request, which takes its memory or is rejected.
 */
export class IncomingBytes {
  readonly #budget: MemoryBudget
  /** The bytes that are there, and those among them for which memory was taken. */
  #bytes = 0
  #counted = 0

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /** Adds bytes that have come. They are counted by `settle`, when the messages among them have been read. */
  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Subtracts a message that was read. What is left can only be in the chunk in which it ended. */
  subtractMessage(payload: number): void {
    this.#bytes = Math.min(Math.max(0, this.#bytes - frameBytes(payload)), maxChunkBytes)
  }

  /** Subtracts a ping or pong, which may come in the middle of a message. */
  subtractControlFrame(payload: number): void {
    this.#bytes = Math.max(0, this.#bytes - frameBytes(payload))
  }

  /** Sets the number of bytes and counts them. */
  set(bytes: number): boolean {
    this.#bytes = bytes
    return this.settle()
  }

  /** Counts what is left of a message. Returns false if there is no memory for it. */
  settle(): boolean {
    const change = this.#bytes - this.#counted
    if (change <= 0) this.#budget.give(-change)
    else if (!this.#budget.takeArrived(change, this.#counted)) return false
    this.#counted = this.#bytes
    return true
  }
}

/** Returns the length of the frame of a client around so many bytes (RFC 6455, 5.2): flags, length and mask. */
const frameBytes = (payload: number): number => payload + (payload < 126 ? 6 : payload < 65_536 ? 8 : 14)
