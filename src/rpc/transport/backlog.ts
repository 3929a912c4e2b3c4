import type { MemoryBudget, UnreadMemory } from '../memoryBudget.ts'

/** A client with unread bytes. */
export interface BacklogClient {
  /** The number of bytes that the client has not read yet. */
  readonly waiting: number
  /**
   * Whether the client had unread bytes when the last message was sent. One large response does not make a client
   * slow.
   */
  readonly isBehind: boolean
  /** Disconnects the client because it does not read. */
  disconnectSlow(): void
  /** Ends the connection of a client that was disconnected before and may still read. */
  cut(): void
}

/** The unread bytes of all sockets together, and their limit. */
export class SendBacklog implements UnreadMemory {
  readonly #limit: number
  readonly #budget: MemoryBudget
  readonly #clients = new Set<BacklogClient>()
  #bytes = 0
  /** The connections that are being closed, which may still read what was sent before, and their unread bytes. */
  readonly #closing = new Set<BacklogClient>()
  #closingBytes = 0

  /** Every unread byte counts against `budget` too, that of all requests and responses. */
  constructor(limit: number, budget: MemoryBudget) {
    this.#limit = limit
    this.#budget = budget
  }

  /** Updates the unread bytes of a client. `isClosing` is set if its connection is being closed. */
  update(client: BacklogClient, before: number, isClosing: boolean): void {
    const change = client.waiting - before
    this.#budget.count(change)
    if (isClosing) {
      this.#closingBytes += change
      if (client.waiting === 0) this.#closing.delete(client)
      return
    }
    this.#bytes += change
    if (before === 0) this.#clients.add(client)
    if (client.waiting === 0) this.#clients.delete(client)
  }

  /** Removes a client whose connection is being closed; its bytes do not count against the others any more. */
  remove(client: BacklogClient): void {
    this.#clients.delete(client)
    this.#bytes -= client.waiting
    this.#closingBytes += client.waiting
    if (client.waiting > 0) this.#closing.add(client)
  }

  get unread(): number {
    return this.#bytes + this.#closingBytes
  }

  cutSlowest(): boolean {
    const [closing] = this.#closing
    const slow = closing ?? this.#slowest(undefined)
    if (slow === undefined) return false
    this.#closing.delete(slow)
    if (slow === closing) slow.cut()
    else slow.disconnectSlow()
    return true
  }

  /**
   * Disconnects clients until the total is below the limit: those that are behind, the one with the most unread first,
   * and then those that have waited longest with what they were sent. One client alone may hold one large response, and
   * `newest`, which had no time to read it yet, is spared as long as there are others.
   */
  shedLoad(newest?: BacklogClient): void {
    while (this.#bytes > this.#limit) {
      const slow = this.#slowest(newest)
      if (slow === undefined || (this.#clients.size === 1 && !slow.isBehind)) return
      slow.disconnectSlow()
    }
  }

  /** Returns the client that goes first: the client with the most unread bytes, or else the oldest. */
  #slowest(newest: BacklogClient | undefined): BacklogClient | undefined {
    let most: BacklogClient | undefined
    let oldest: BacklogClient | undefined
    for (const client of this.#clients) {
      if (client !== newest) oldest ??= client
      if (client.isBehind && client.waiting > (most?.waiting ?? 0)) most = client
    }
    return most ?? oldest
  }

  /** Whether a client that is disconnected can be given time to read. */
  get allowsGrace(): boolean {
    return this.#closingBytes <= this.#limit && !this.#budget.isTight
  }
}
