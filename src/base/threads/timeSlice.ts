import { setImmediate as nextTurn } from 'node:timers/promises'

/** The default length: long enough to make progress, short enough not to delay other calls noticeably. */
const defaultMs = 5

/**
 * The time for which a piece of work may hold the event loop. Long work checks it between its steps and, when it is
 * over, lets other work run before it continues.
 */
export class TimeSlice {
  readonly #milliseconds: number
  #end: number

  constructor(milliseconds: number = defaultMs) {
    this.#milliseconds = milliseconds
    this.#end = performance.now() + milliseconds
  }

  get isOver(): boolean {
    return performance.now() > this.#end
  }

  /** Yields to the event loop and then starts a new slice of the same length. */
  async next(): Promise<void> {
    await nextTurn()
    this.#end = performance.now() + this.#milliseconds
  }
}
