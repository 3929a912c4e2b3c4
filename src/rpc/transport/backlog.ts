/** A client that has something unread. */
export interface BacklogClient {
  /** Bytes that wait for it. */
  readonly waiting: number
  /** It had something unread already when the last was sent: one large answer makes no slow reader. */
  readonly isBehind: boolean
  /** Ends its connection, since it does not read. */
  disconnectSlow(): void
}

/** Bytes that wait for slow readers, over all sockets. */
export class SendBacklog {
  readonly #limit: number
  readonly #readers = new Set<BacklogClient>()
  #bytes = 0
  /** Of those who were told to go, and may still read what they were sent before. */
  #lastBytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** What waits for a reader has changed; `isLeaving` since its connection is about to end. */
  update(reader: BacklogClient, before: number, isLeaving: boolean): void {
    const change = reader.waiting - before
    if (isLeaving) {
      this.#lastBytes += change
      return
    }
    this.#bytes += change
    if (before === 0) this.#readers.add(reader)
    if (reader.waiting === 0) this.#readers.delete(reader)
  }

  /** The reader is about to go: its bytes do not count against the others any more. */
  remove(reader: BacklogClient): void {
    this.#readers.delete(reader)
    this.#bytes -= reader.waiting
    this.#lastBytes += reader.waiting
  }

  /** Where too much waits in all, those with the most unread have to go. */
  shedLoad(): void {
    while (this.#bytes > this.#limit) {
      let most: BacklogClient | undefined
      for (const reader of this.#readers) {
        if (reader.isBehind && reader.waiting > (most?.waiting ?? 0)) most = reader
      }
      if (most === undefined) return
      most.disconnectSlow()
    }
  }

  /** Whether one more who has to go can be given time to read. */
  get allowsGrace(): boolean {
    return this.#lastBytes <= this.#limit
  }
}
