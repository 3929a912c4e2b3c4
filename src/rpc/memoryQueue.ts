/** A long body that has arrived and waits for the memory in which it is parsed. */
interface Waiting {
  /** Takes the memory; returns false if there is still too little. */
  readonly tryTake: () => boolean
  readonly settle: (isTaken: boolean) => void
}

/** The part of the memory for large requests that bodies may hold while they wait. What runs must find room beside them. */
const waitingShare = 1 / 3

/**
 * Long bodies for which there is no memory yet, in the order of their arrival. To reject them at once would cost more: a client that
 * tries again sends its megabytes again, and reading those takes longer than the wait.
 */
export class MemoryQueue {
  readonly #waiting = new Set<Waiting>()
  readonly #waitMs: number
  #bytes = 0

  /** @param waitMs the longest that a body waits */
  constructor(waitMs: number) {
    this.#waitMs = waitMs
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** The bytes of the bodies that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Waits until `tryTake` returns true. Resolves to false at once if too many wait, after the longest wait, or when `onGone` says that
   * the client has left.
   */
  wait(
    length: number,
    largeLimit: number,
    tryTake: () => boolean,
    onGone: (listener: () => void) => () => void,
  ): Promise<boolean> {
    if (this.#bytes + length > largeLimit * waitingShare) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#bytes += length
      let endListening = (): void => {}
      const waiting: Waiting = {
        tryTake,
        settle: (isTaken) => {
          if (!this.#waiting.delete(waiting)) return
          this.#bytes -= length
          clearTimeout(timer)
          endListening()
          resolve(isTaken)
        },
      }
      this.#waiting.add(waiting)
      const timer = setTimeout(() => waiting.settle(false), this.#waitMs)
      endListening = onGone(() => waiting.settle(false))
    })
  }

  /** Lets in as many as there is memory for, the first one first. */
  admit(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.tryTake()) return
      waiting.settle(true)
    }
  }
}
