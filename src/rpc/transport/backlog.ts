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
  readonly #clients = new Set<BacklogClient>()
  #bytes = 0
  /** The unread bytes of connections that are being closed, which may still read what was sent before. */
  #closingBytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Updates the unread bytes of a client. `isClosing` is set if its connection is being closed. */
  update(client: BacklogClient, before: number, isClosing: boolean): void {
    const change = client.waiting - before
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

  /** Disconnects the clients with the most unread bytes until the total is below the limit. */
  shedLoad(): void {
    while (this.#bytes > this.#limit) {
      let most: BacklogClient | undefined
      for (const client of this.#clients) {
        if (client.isBehind && client.waiting > (most?.waiting ?? 0)) most = client
      }
      if (most === undefined) return
      most.disconnectSlow()
    }
  }

  /** Whether a client that is disconnected can be given time to read. */
  get allowsGrace(): boolean {
    return this.#closingBytes <= this.#limit
  }
}
