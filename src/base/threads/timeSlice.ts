/** The default length: long enough to make progress, short enough not to delay other calls noticeably. */
const defaultMs = 5

/** Work of this thread that waits for its turn, in order. One piece of it goes on in each turn of the event loop. */
export class TurnQueue {
  readonly #waiting: (() => void)[] = []

  /** Whether others wait for their turn. */
  get isBusy(): boolean {
    return this.#waiting.length > 0
  }

  /** Resolves when the event loop and those that wait have had their turn. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) setImmediate(() => this.#resumeNext())
    })
  }

  #resumeNext(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#resumeNext())
  }
}

/** Work that goes on in pieces: what says when it must let others run, and waits until they have. */
export interface Slice {
  readonly isOver: boolean
  next(): Promise<void>
}

/**
 * Runs work in slices and returns what it returns; undefined once `isUnwanted` says that nobody waits for it. `spend` is told
 * how long each slice has taken.
 */
export const runInSlices = async <T>(
  work: Generator<undefined, T>,
  slice: Slice,
  isUnwanted: () => boolean,
  spend: (milliseconds: number) => void = () => {},
): Promise<T | undefined> => {
  for (;;) {
    if (slice.isOver) await slice.next()
    if (isUnwanted()) return undefined
    const began = performance.now()
    let step = work.next()
    while (step.done !== true && !slice.isOver) step = work.next()
    spend(performance.now() - began)
    if (step.done === true) return step.value
  }
}

/** The queue of work that has none of its own. */
const sharedQueue = new TurnQueue()

/**
 * The time for which a piece of work may hold the event loop. Long work checks it between its steps and, when it is
 * over, lets other work run before it continues. All such work of a thread takes turns: between two slices the loop
 * serves what has come in, however many wait. Work of a kind that may go on for long has a queue of its own, so that the
 * rest does not wait behind it.
 */
export class TimeSlice implements Slice {
  readonly #milliseconds: number
  readonly #queue: TurnQueue
  #end: number

  constructor(milliseconds: number = defaultMs, queue: TurnQueue = sharedQueue) {
    this.#milliseconds = milliseconds
    this.#queue = queue
    this.#end = performance.now() + milliseconds
  }

  /** Returns a slice for work that has just come in: it is over from the start while others wait for their turn. */
  static inTurn(queue: TurnQueue = sharedQueue, milliseconds: number = defaultMs): TimeSlice {
    const slice = new TimeSlice(milliseconds, queue)
    if (queue.isBusy) slice.#end = 0
    return slice
  }

  /** Resolves when the event loop and those that wait have had their turn. */
  static turn(): Promise<void> {
    return sharedQueue.turn()
  }

  get isOver(): boolean {
    return performance.now() > this.#end
  }

  /** Yields to the event loop and to those that wait, and then starts a new slice of the same length. */
  async next(): Promise<void> {
    await this.#queue.turn()
    this.#end = performance.now() + this.#milliseconds
  }
}

/** Shorter than the slices of other work, because a piece may end some milliseconds after its slice. */
const longSliceMs = 2

/** Returns the slice of work on a body or a request that has just come in. */
export const newLongSlice = (): Slice => TimeSlice.inTurn(undefined, longSliceMs)
