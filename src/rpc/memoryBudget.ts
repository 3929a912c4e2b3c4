import { type Caller, clientOf } from './access/access.ts'
import { limitExceeded, type RpcError } from './errors.ts'
import { MemoryQueue, type WaitingBody } from './memoryQueue.ts'

/** What one request may hold and still count as small. */
const smallBytes = 65_536

/** The memory of a body for each of its bytes: the bytes, their text, and the values that it is parsed to. */
const bytesPerByte = 3

/** The same for a body that is not small. Its garbage adds up, since it is parsed and decoded over many turns. */
const bytesPerLargeByte = 12

/** The part of the budget that requests which are not small may use. The rest is left for the small ones. */
const largeShare = 0.75

/** The longest that a long body waits for memory, by default. */
const defaultWaitMs = 5_000

/** How far small messages that arrive in part may exceed the budget, as a factor. */
const arrivalExcess = 1.125

/** The responses of a transport that clients have not read. Their memory is for small requests if needed. */
export interface UnreadMemory {
  /** The bytes that are unread. */
  readonly unread: number
  /** Cuts off the reader that is the first to go, and gives its memory back; returns false if there is none. */
  cutSlowest(): boolean
}

/**
 * The memory of everything under way, over all transports: bodies that arrive, results that are built, responses that
 * clients have not read. It is taken before the work and given back when the response is written or nobody waits for it
 * any more. Everything about it is a number, so that a cheap call pays for a few additions.
 */
export class MemoryBudget {
  #limit: number
  #largeLimit: number
  readonly #readers: UnreadMemory[] = []
  readonly #queue: MemoryQueue
  #used = 0
  #refused = 0

  constructor(limit: number, waitMs: number = defaultWaitMs) {
    this.#limit = limit
    this.#largeLimit = Math.floor(limit * largeShare)
    this.#queue = new MemoryQueue(waitMs)
  }

  get limit(): number {
    return this.#limit
  }

  /** Sets another limit; what is taken above it stays taken. */
  setLimit(limit: number): void {
    this.#limit = limit
    this.#largeLimit = Math.floor(limit * largeShare)
    this.#admit()
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

  /** Adds responses whose slow readers go before a small request is rejected. */
  addReaders(readers: UnreadMemory): void {
    this.#readers.push(readers)
  }

  /** Returns the memory that a body of this length needs. The largest one that the settings allow has room alone. */
  memoryOfBody(length: number): number {
    const least = bytesPerByte * length
    if (length <= smallBytes) return least
    return Math.max(least, Math.min(bytesPerLargeByte * length, this.#largeLimit / 2))
  }

  /** Takes `bytes` for somebody who holds `held` already. Returns false if there is too little left. */
  take(bytes: number, held: number): boolean {
    if (!this.hasRoom(bytes, held)) return this.#refuse()
    this.#used += bytes
    return true
  }

  /**
   * Takes `bytes` that have arrived of a message that holds `held` bytes already. A small message may exceed the
   * limit a little: its call is rejected with its id when the rest has come, and the connection stays.
   */
  takeArrived(bytes: number, held: number): boolean {
    const isWithinExcess = held + bytes <= smallBytes && this.#used + bytes <= this.limit * arrivalExcess
    if (!this.hasRoom(bytes, held) && !isWithinExcess) return this.#refuse()
    this.#used += bytes
    return true
  }

  #refuse(): false {
    this.#refused++
    return false
  }

  /** Whether a body of this length must wait: for memory, or behind others of its client. */
  mustQueue(length: number, caller: Caller): boolean {
    if (length <= smallBytes) return false
    const isBehind = !this.#queue.isEmpty && this.#queue.has(clientOf(caller))
    return isBehind || !this.hasRoom(this.memoryOfBody(length), 0)
  }

  /**
   * Waits until `tryTake` returns true, for a large body whose bytes are counted already. Resolves to false for a small one, which
   * `take` has rejected. Resolves to false and counts a rejection if too many wait, after the longest wait, or once `onGone` says that
   * the client has left.
   */
  async waitForRoom({ caller, ...body }: Omit<WaitingBody, 'client'> & { caller: Caller }): Promise<boolean> {
    if (body.length <= smallBytes) return false
    const isTaken = await this.#queue.wait({ ...body, client: clientOf(caller) }, this.#largeLimit)
    return isTaken || this.#refuse()
  }

  /** Returns whether `bytes` are left for somebody who holds `held` already. */
  hasRoom(bytes: number, held: number): boolean {
    const isSmall = held + bytes <= smallBytes
    const limit = isSmall ? this.limit : this.#largeLimit
    if (isSmall && this.#used + bytes > limit) this.#cutSlowReaders(limit - bytes)
    return this.#used + bytes <= limit
  }

  /** Cuts off slow readers until no more than `target` is used; none if all of them together hold too little. */
  #cutSlowReaders(target: number): void {
    const unread = this.#readers.reduce((sum, readers) => sum + readers.unread, 0)
    if (this.#used - unread > target) return
    while (this.#used > target) {
      const most = this.#readers.reduce((a, b) => (b.unread > a.unread ? b : a))
      if (!most.cutSlowest()) return
    }
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#used -= bytes
    this.#admit()
  }

  #admit(): void {
    if (!this.#queue.isEmpty) this.#queue.admit(this.#largeLimit - this.#used)
  }

  /** Counts bytes that are there already, which may exceed the limit; a negative number gives them back. */
  count(bytes: number): void {
    this.#used += bytes
    if (bytes < 0) this.#admit()
  }

  /** Returns the error for a call that would need more than is left. */
  refusal(): RpcError {
    return limitExceeded(
      `too much is under way: at most ${this.limit} bytes of requests and responses (json-rpc.request-memory)`,
    )
  }
}
