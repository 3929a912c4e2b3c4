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
  /** After each eighth of the run. */
  readonly memory: readonly MemoryUse[]
}

export interface MemoryUse {
  /** The bytes in use after a full garbage collection. */
  readonly inUse: number
  /** What the process has of the system: more, because a heap that was large once stays so for a while. */
  readonly resident: number
}

const maxProblems = 50
const progressMs = 5_000

/** How often memory is measured. */
const measurements = 8

/** What may be in use more at the end than after a quarter: caches fill, a leak of a request shows in the long form. */
const allowedGrowth = 64 * 1024 * 1024

/** Counts the requests of a run and what was wrong with them. */
export class FuzzTally {
  readonly #name: string
  readonly #limits: FuzzLimits
  readonly #measure: () => MemoryUse | Promise<MemoryUse>
  readonly #startedAt = performance.now()
  readonly #problems: string[] = []
  #problemCount = 0
  #started = 0
  #done = 0
  readonly #memory: (MemoryUse | Promise<MemoryUse>)[] = []
  #lastProgress = performance.now()

  constructor(name: string, limits: FuzzLimits, measure: () => MemoryUse | Promise<MemoryUse>) {
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
    if (this.#progress >= (this.#memory.length + 1) / measurements) this.#memory.push(this.#measure())
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

  async finish(): Promise<FuzzReport> {
    const memory = await Promise.all(this.#memory)
    const [before, after] = [memory[1], memory.at(-1)]
    if (before !== undefined && after !== undefined && after.inUse - before.inUse > allowedGrowth)
      this.addProblem(
        `memory in use grew from ${toMegabytes(before.inUse)} to ${toMegabytes(after.inUse)} MB`,
      )
    return {
      name: this.#name,
      seed: this.#limits.seed,
      requests: this.#done,
      seconds: Math.round(this.#seconds),
      problems: this.#problems,
      problemCount: this.#problemCount,
      memory,
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

export const describeReport = ({
  name,
  seed,
  requests,
  seconds,
  problemCount,
  memory,
}: FuzzReport): string => {
  const series = (of: keyof MemoryUse): string => memory.map((use) => toMegabytes(use[of])).join(' ')
  return (
    `${name}: ${requests} requests from seed ${seed} in ${seconds} s, ${problemCount} problems, ` +
    `MB in use after each eighth ${series('inUse')}, resident ${series('resident')}`
  )
}
