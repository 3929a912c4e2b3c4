import type { Logger } from '../../base/log.ts'

export interface SoloOptions {
  /** Milliseconds between blocks; undefined: a block as soon as there is work. */
  readonly blockTimeMs: number | undefined
  /** With a beat: blocks come without transactions too. */
  readonly createEmptyBlocks: boolean
}

export interface SoloDependencies {
  /** Whether a block made now would hold a transaction. */
  readonly hasWork: () => boolean
  /** Makes one block and resolves when it is committed. */
  readonly makeBlock: () => Promise<void>
  readonly log: Logger
}

/** Pause after a block that could not be made, so that a lasting fault does not spin. */
const retryMs = 1000

/** Sequences blocks in process: one at a time, on demand or to a beat. */
export class SoloEngine {
  readonly #options: SoloOptions
  readonly #dependencies: SoloDependencies
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isStarted = false

  constructor(options: SoloOptions, dependencies: SoloDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /** Whether every transaction gets its block at once. */
  get isOnDemand(): boolean {
    return this.#options.blockTimeMs === undefined
  }

  start(): void {
    this.#isStarted = true
    if (this.#options.blockTimeMs === undefined) this.wake()
    else this.#schedule(this.#options.blockTimeMs)
  }

  /** Resolves when the block under way, if any, is committed; no further one begins. */
  async stop(): Promise<void> {
    this.#isStarted = false
    clearTimeout(this.#timer)
    await this.#running
  }

  /** There may be work: on demand a block begins now, or right after the one under way. */
  wake(): void {
    if (!this.#isStarted || !this.isOnDemand || this.#running !== undefined || this.#timer !== undefined)
      return
    if (this.#dependencies.hasWork()) this.#begin()
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.isOnDemand) this.wake()
      else this.#beat()
    }, ms)
  }

  #beat(): void {
    if (this.#options.createEmptyBlocks || this.#dependencies.hasWork()) this.#begin()
    else this.#schedule(this.#options.blockTimeMs as number) // only reached with a beat
  }

  #begin(): void {
    const startedAt = performance.now()
    this.#running = this.#dependencies
      .makeBlock()
      .then(() => this.#after(startedAt))
      .catch((error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'a block could not be made')
        this.#running = undefined
        if (this.#isStarted) this.#schedule(retryMs)
      })
  }

  #after(startedAt: number): void {
    this.#running = undefined
    if (!this.#isStarted) return
    const { blockTimeMs } = this.#options
    // The beat counts from the beginning of a block, so that its making does not stretch it.
    if (blockTimeMs === undefined) this.wake()
    else this.#schedule(Math.max(0, blockTimeMs - (performance.now() - startedAt)))
  }
}
