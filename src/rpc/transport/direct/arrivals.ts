/** How long requests may wait for connections that arrive one after the other. */
const longestMs = 2

/**
 * Lets connections that arrive together be accepted together. Node accepts one in each turn of the event loop: if each turn
 * also answered all the others, the last of a hundred clients would wait for a hundred turns. So requests wait until a turn
 * brings no connection, and never longer than two milliseconds.
 */
export class Arrivals {
  readonly #waiting: (() => void)[] = []
  #isOpen = false
  #hasMore = false
  #until = 0

  /** Whether requests wait. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Notes that a connection was accepted. */
  note(): void {
    this.#hasMore = true
    if (this.#isOpen) return
    this.#isOpen = true
    this.#until = performance.now() + longestMs
    setImmediate(this.#endTurn)
  }

  /** Calls `resume` when the requests go on. */
  wait(resume: () => void): void {
    this.#waiting.push(resume)
  }

  readonly #endTurn = (): void => {
    if (this.#hasMore && performance.now() < this.#until) {
      this.#hasMore = false
      setImmediate(this.#endTurn)
      return
    }
    this.#isOpen = false
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
