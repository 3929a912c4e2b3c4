import type { MemoryBudget } from '../memoryBudget.ts'

/** The most that Node reads from a socket at once. */
const maxChunkBytes = 65_536

/** The bytes of a message that a connection has sent in part. They count against the budget of all requests. */
export class IncomingBytes {
  readonly #budget: MemoryBudget
  #bytes = 0

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  add(bytes: number): boolean {
    return this.set(this.#bytes + bytes)
  }

  /** Subtracts a message that was read. What is left can only be in the chunk in which it ended. */
  subtractMessage(payload: number): void {
    this.set(Math.min(Math.max(0, this.#bytes - frameBytes(payload)), maxChunkBytes))
  }

  /** Subtracts a ping or pong, which may come in the middle of a message. */
  subtractControlFrame(payload: number): void {
    this.set(Math.max(0, this.#bytes - frameBytes(payload)))
  }

  /** Sets the number of bytes. Returns false if there is no memory for them; then they are not counted. */
  set(bytes: number): boolean {
    if (bytes <= this.#bytes) this.#budget.give(this.#bytes - bytes)
    else if (!this.#budget.take(bytes - this.#bytes, this.#bytes)) return false
    this.#bytes = bytes
    return true
  }
}

/** Returns the length of the frame of a client around so many bytes (RFC 6455, 5.2): flags, length and mask. */
const frameBytes = (payload: number): number => payload + (payload < 126 ? 6 : payload < 65_536 ? 8 : 14)
