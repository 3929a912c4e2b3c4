/** How much is run, and from which seed. */
export interface FuzzLimits {
  readonly seed: number
  readonly count: number
  /** The run ends after this time too; 0 for no limit. */
  readonly seconds: number
  readonly onProgress?: ((text: string) => void) | undefined
}

export interface FuzzReport {
  readonly name: string
  readonly seed: number
  readonly requests: number
  readonly seconds: number
  /** The first ones, in words. */
  readonly problems: readonly string[]
  readonly problemCount: number
  /** Bytes after a quarter of the run and at its end. */
  readonly memory: { readonly before: number; readonly after: number }
}

const maxProblems = 50
const progressMs = 5_000

/** What memory may grow by between a quarter of a run and its end: caches fill, a leak of a request shows in the long form. */
const allowedGrowth = 128 * 1024 * 1024

/** Counts the requests of a run and what was wrong with them. */
export class FuzzTally {
  readonly #name: string
  readonly #limits: FuzzLimits
  readonly #measure: () => number
  readonly #startedAt = performance.now()
  readonly #problems: string[] = []
  #problemCount = 0
  #started = 0
  #done = 0
  #before: number | undefined
  #lastProgress = performance.now()

  constructor(name: string, limits: FuzzLimits, measure: () => number) {
    this.#name = name
    this.#limits = limits
    this.#measure = measure
  }

  /** Returns whether another request is to be sent, and counts it as sent. */
  mayStart(): boolean {
    const { count, seconds } = this.#limits
    const isOver = seconds > 0 && this.#seconds >= seconds
    if (this.#started >= count || isOver || this.#problemCount > maxProblems) return false
    this.#started++
    return true
  }

  /** Counts a request that was answered, with what was wrong, if anything. */
  count(problem: string | undefined): void {
    this.#done++
    if (problem !== undefined) this.addProblem(problem)
    if (this.#before === undefined && this.#progress >= 0.25) this.#before = this.#measure()
    if (performance.now() - this.#lastProgress < progressMs) return
    this.#lastProgress = performance.now()
    const rate = (this.#done / this.#seconds).toFixed(0)
    this.#limits.onProgress?.(
      `${this.#name}: ${this.#done} of ${this.#limits.count}, ${rate}/s, ${this.#problemCount} problems`,
    )
  }

  addProblem(problem: string): void {
    this.#problemCount++
    if (this.#problems.length < maxProblems) this.#problems.push(problem)
  }

  finish(): FuzzReport {
    const after = this.#measure()
    const before = this.#before ?? after
    if (after - before > allowedGrowth)
      this.addProblem(`memory grew from ${toMegabytes(before)} to ${toMegabytes(after)} MB`)
    return {
      name: this.#name,
      seed: this.#limits.seed,
      requests: this.#done,
      seconds: Math.round(this.#seconds),
      problems: this.#problems,
      problemCount: this.#problemCount,
      memory: { before, after },
    }
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1000
  }

  get #progress(): number {
    const { count, seconds } = this.#limits
    return Math.max(this.#done / count, seconds > 0 ? this.#seconds / seconds : 0)
  }
}

const toMegabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

export const describeReport = ({ name, seed, requests, seconds, problemCount, memory }: FuzzReport): string =>
  `${name}: ${requests} requests from seed ${seed} in ${seconds} s, ${problemCount} problems, ` +
  `memory ${toMegabytes(memory.before)} MB after a quarter, ${toMegabytes(memory.after)} MB at the end`
