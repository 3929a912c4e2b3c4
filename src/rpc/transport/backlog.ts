import type { MemoryBudget } from '../memoryBudget.ts'

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
}

/** The unread bytes of all sockets together, and their limit. */
export class SendBacklog {
  readonly #limit: number
  readonly #budget: MemoryBudget
  readonly #clients = new Set<BacklogClient>()
  #bytes = 0
  /** The unread bytes of connections that are being closed, which may still read what was sent before. */
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
  }

  /**
   * Disconnects clients until the total is below the limit: those that are behind, the one with the most unread first,
   * and then those that have waited longest with what they were sent. One client alone may hold one large response, and
   * `newest`, which had no time to read it yet, is spared as long as there are others.
   */
  shedLoad(newest?: BacklogClient): void {
    while (this.#bytes > this.#limit) {
      let most: BacklogClient | undefined
      let oldest: BacklogClient | undefined
      for (const client of this.#clients) {
        if (client !== newest) oldest ??= client
        if (client.isBehind && client.waiting > (most?.waiting ?? 0)) most = client
      }
      const slow = most ?? (this.#clients.size > 1 ? oldest : undefined)
      if (slow === undefined) return
      slow.disconnectSlow()
    }
  }

  /** Whether a client that is disconnected can be given time to read. */
  get allowsGrace(): boolean {
    return this.#closingBytes <= this.#limit && !this.#budget.isTight
  }
}
