/** A long body that has arrived and waits for the memory in which it is parsed. */
interface Waiting {
  readonly length: number
  readonly needs: number
  /** Takes the memory; returns false if there is still too little. */
  readonly tryTake: () => boolean
  readonly settle: (isTaken: boolean) => void
}

/** The bodies of one client, in the order of their arrival. */
interface Line {
  readonly bodies: Set<Waiting>
  bytes: number
}

/** A body that is to wait. */
export interface WaitingBody {
  /** See `clientOf`. */
  readonly client: object | string
  readonly length: number
  /** The bytes that `tryTake` takes. */
  readonly needs: number
  /** Takes the memory; returns false if there is still too little. */
  readonly tryTake: () => boolean
  /** Calls the listener when the client has left; returns the function that ends this. */
  readonly onGone: (listener: () => void) => () => void
}

/** The part of the memory for large requests that bodies may hold while they wait. What runs must find room beside them. */
const waitingShare = 1 / 3

/**
 * Long bodies for which there is no memory yet. To reject them at once would cost more: a client that tries again sends its
 * megabytes again, and reading those takes longer than the wait. The bodies of one client wait in the order of their arrival.
 * Clients take turns, and none waits for what another one has sent: what fits is let in.
 */
export class MemoryQueue {
  /** The clients with bodies that wait; the first one has the next turn. */
  readonly #lines = new Map<object | string, Line>()
  readonly #waitMs: number
  #bytes = 0
  /** No body that has the next turn of its client needs less than this. */
  #leastNeeded = Number.POSITIVE_INFINITY

  /** @param waitMs the longest that a body waits */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** The bytes of the bodies that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether a body of this client waits already. */
  has(client: object | string): boolean {
    return this.#lines.has(client)
  }

  /**
   * Waits until `tryTake` returns true. Resolves to false at once if too many wait, after the longest wait, when `onGone` says
   * that the client has left, or when it must make room for a client that holds less.
   */
  wait({ client, length, needs, tryTake, onGone }: WaitingBody, largeLimit: number): Promise<boolean> {
    if (!this.#makeRoom(client, length, largeLimit * waitingShare)) return Promise.resolve(false)
    return new Promise((resolve) => {
      let endListening = (): void => {}
      const waiting: Waiting = {
        length,
        needs,
        tryTake,
        settle: (isTaken) => {
          if (!this.#remove(client, waiting)) return
          clearTimeout(timer)
          endListening()
          resolve(isTaken)
        },
      }
      this.#add(client, waiting)
      const timer = setTimeout(() => waiting.settle(false), this.#waitMs)
      endListening = onGone(() => waiting.settle(false))
    })
  }

  /**
   * Lets in as many as there is memory for: of each client in turn the one that came first. It is called whenever memory is given
   * back, so it tries nobody while the `free` bytes are too few for each of them.
   */
  admit(free: number): void {
    if (free < this.#leastNeeded) return
    let leastNeeded = Number.POSITIVE_INFINITY
    for (const [client, line] of this.#lines) {
      const [first] = line.bodies
      if (first === undefined) continue
      if (!first.tryTake()) {
        leastNeeded = Math.min(leastNeeded, first.needs)
        continue
      }
      // Behind the others, so that it has its next turn in this same pass.
      this.#lines.delete(client)
      this.#lines.set(client, line)
      first.settle(true)
    }
    this.#leastNeeded = leastNeeded
  }

  /**
   * Makes room by rejecting what came last of the client that holds most, unless the newcomer would hold more. Returns false if
   * there is none.
   */
  #makeRoom(client: object | string, length: number, limit: number): boolean {
    const missing = this.#bytes + length - limit
    if (missing <= 0) return true
    let most: Line | undefined
    for (const line of this.#lines.values()) if (line.bytes > (most?.bytes ?? 0)) most = line
    const own = this.#lines.get(client)
    if (most === undefined || most === own || most.bytes - missing < (own?.bytes ?? 0) + length) return false
    for (const last of [...most.bodies].reverse()) {
      last.settle(false)
      if (this.#bytes + length <= limit) break
    }
    return true
  }

  #add(client: object | string, waiting: Waiting): void {
    const line = this.#lines.get(client) ?? { bodies: new Set(), bytes: 0 }
    this.#lines.set(client, line)
    line.bodies.add(waiting)
    line.bytes += waiting.length
    this.#bytes += waiting.length
    this.#leastNeeded = Math.min(this.#leastNeeded, waiting.needs)
  }

  /** Returns false if it does not wait any more. */
  #remove(client: object | string, waiting: Waiting): boolean {
    const line = this.#lines.get(client)
    if (line === undefined || !line.bodies.delete(waiting)) return false
    line.bytes -= waiting.length
    this.#bytes -= waiting.length
    const [next] = line.bodies
    if (next === undefined) this.#lines.delete(client)
    else this.#leastNeeded = Math.min(this.#leastNeeded, next.needs)
    return true
  }
}
