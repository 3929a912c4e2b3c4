import type { Logger } from './log.ts'

export interface JobNames {
  /** What is being done, such as `catching up with the network`. */
  readonly doing: string
  /** What is logged at its end, such as `caught up with the network`. */
  readonly done: string
  /** What is counted, such as `blocks`. */
  readonly unit: string
}

/** The members of a line of the log that tells how far a job is; on a terminal it is written over by the next one. */
export interface ProgressLine {
  readonly progress: 'running' | 'done'
  readonly done: number
  readonly total: number
  readonly unit: string
  readonly perSecond?: number
  readonly secondsLeft?: number
}

const lineIntervalMs = 5_000

/** Tells in the log how far a long job is, with its rate and the time left. A job that ends at once says nothing. */
export class JobProgress {
  readonly #names: JobNames
  readonly #log: Pick<Logger, 'info'>
  readonly #now: () => number
  #began: { readonly at: number; readonly done: number } | undefined
  #toldAt = 0
  #hasTold = false
  #done = 0

  constructor(names: JobNames, log: Pick<Logger, 'info'>, now: () => number = () => performance.now()) {
    this.#names = names
    this.#log = log
    this.#now = now
  }

  /** `done` of `total` are there now; both may begin anywhere. */
  step(done: number, total: number): void {
    const at = this.#now()
    if (this.#began === undefined) {
      this.#began = { at, done }
      this.#toldAt = at
    }
    this.#done = done
    if (at - this.#toldAt < lineIntervalMs) return
    this.#toldAt = at
    this.#hasTold = true
    const { doing, unit } = this.#names
    const rate = (done - this.#began.done) / ((at - this.#began.at) / 1000)
    const line: ProgressLine = {
      progress: 'running',
      ...{ done, total, unit },
      ...(rate > 0
        ? { perSecond: Math.round(rate * 10) / 10, secondsLeft: Math.ceil((total - done) / rate) }
        : {}),
    }
    this.#log.info(line, doing)
  }

  end(): void {
    if (this.#hasTold && this.#began !== undefined) {
      const { done, unit } = this.#names
      const seconds = Math.round((this.#now() - this.#began.at) / 1000)
      this.#log.info({ progress: 'done', count: this.#done - this.#began.done, unit, seconds }, done)
    }
    this.#began = undefined
    this.#hasTold = false
  }
}
