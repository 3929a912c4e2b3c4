/** The default length: long enough to make progress, short enough not to delay other calls noticeably. */
const defaultMs = 5

/** The work of this thread that waits for its turn, in order. One goes on in each turn of the event loop. */
const waiting: (() => void)[] = []

const resumeNext = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeNext)
}

/**
 * The time for which a piece of work may hold the event loop. Long work checks it between its steps and, when it is
 * over, lets other work run before it continues. All such work of a thread takes turns: between two slices the loop
 * serves what has come in, however many wait.
 */
export class TimeSlice {
  readonly #milliseconds: number
  #end: number

  constructor(milliseconds: number = defaultMs) {
    this.#milliseconds = milliseconds
    this.#end = performance.now() + milliseconds
  }

  /** Returns a slice for work that has just come in: it is over from the start while others wait for their turn. */
  static inTurn(): TimeSlice {
    const slice = new TimeSlice()
    if (waiting.length > 0) slice.#end = 0
    return slice
  }

  /** Resolves when the event loop and those that wait have had their turn. */
  static turn(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(resumeNext)
    })
  }

  get isOver(): boolean {
    return performance.now() > this.#end
  }

  /** Yields to the event loop and to those that wait, and then starts a new slice of the same length. */
  async next(): Promise<void> {
    await TimeSlice.turn()
    this.#end = performance.now() + this.#milliseconds
  }
}
