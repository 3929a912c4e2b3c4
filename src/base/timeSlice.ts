import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long enough to get something done, short enough that nobody notices the wait. */
const usualMs = 5

/**
 * How long a piece of work may hold the event loop at a time. Long work looks at it between its steps and, when it is
 * over, lets everybody else run before it goes on.
 */
export class TimeSlice {
  readonly #milliseconds: number
  #end: number

  constructor(milliseconds: number = usualMs) {
    this.#milliseconds = milliseconds
    this.#end = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() > this.#end
  }

  /** Gives the event loop a turn; then a new slice of the same length begins. */
  async next(): Promise<void> {
    await nextTurn()
    this.#end = performance.now() + this.#milliseconds
  }
}
