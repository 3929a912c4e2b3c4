import type { Logger } from '../../base/logging/log.ts'
import { isUnknownForkError } from '../commitErrors.ts'

export interface SequencerOptions {
  /** The interval between blocks in milliseconds; undefined for instant sealing. */
  readonly blockTimeMs: number | undefined
  /** Whether blocks without transactions are produced at the interval. */
  readonly createEmptyBlocks: boolean
  /** Whether blocks are produced only when somebody asks for one. False by default. */
  readonly isManual?: boolean
}

export interface SequencerDependencies {
  /** Returns whether a block produced now would contain a transaction. */
  readonly hasTransactions: () => boolean
  /** Returns the number of transactions that wait for a block. */
  readonly waiting: () => number
  /** Returns the number of transactions that may wait for a block in a moment: their signatures are under way. */
  readonly incoming: () => number
  /** Produces one block and resolves with the number of its transactions when it is committed. */
  readonly produceBlock: () => Promise<number>
  /** Called with the reason if the next block needs rules that this version does not have; no further block is tried. */
  readonly onUnknownFork: (reason: string) => void
  /** Returns whether a block could be written; while it could not, none is begun. */
  readonly canWrite: () => boolean
  /** Returns whether an error says that a block could not be written, which has been told already. */
  readonly isRefusedWrite: (error: unknown) => boolean
  readonly log: Logger
}

/** The pause after a block that could not be produced, so that a lasting error does not loop. */
const retryMs = 1000
/** How soon a block of an interval is tried again that became due while blocks were held up. */
const heldMs = 1
/**
 * The maximum delay of the next block after a block, in which other transactions may join it. The delay is otherwise
 * twice the duration of the last block, and less where nobody came in earlier ones.
 */
const maxBatchDelayMs = 20
const minPatience = 1 / 4
/** For how many transactions a block waits at most: what a block costs apart from them is little for as many. */
const maxExpected = 100
/** For how long a block waits at most for those whose signatures are under way, and how many make it begin without them. */
const maxIncomingDelayMs = 100
const manyWaiting = 1000

/** Produces blocks in this process, one at a time, by instant sealing or at an interval. */
export class Sequencer {
  readonly #dependencies: SequencerDependencies
  #options: SequencerOptions
  #timer: NodeJS.Timeout | undefined
  #batchTimer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  /** How many transactions the next block may hold if everybody sends again, and until when it waits for as many. */
  #next = { expected: 0, delayUntil: 0 }
  /** Until when the next block waits for signatures under way; undefined if it does not yet. */
  #incomingUntil: number | undefined
  /** The share of the delay that is used: halved when it passed in vain, and doubled when it did not. */
  #patience = 1
  /** Whether the next block has been delayed for others. */
  #hasWaited = false
  #isStarted = false
  /** The number of those who hold up blocks, and the end of the last one's work. */
  #holders = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: SequencerOptions, dependencies: SequencerDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  get options(): SequencerOptions {
    return this.#options
  }

  /** Whether every transaction gets a block at once. */
  get isInstantSeal(): boolean {
    return this.#options.blockTimeMs === undefined && this.#options.isManual !== true
  }

  start(): void {
    this.#isStarted = true
    this.#resume()
  }

  /** Changes when blocks are produced, from now on. */
  setOptions(options: SequencerOptions): void {
    this.#options = options
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#cancelBatchTimer()
    if (this.#isStarted && this.#running === undefined) this.#resume()
  }

  #resume(): void {
    if (this.#holders > 0 || this.#options.isManual === true) return
    if (this.#options.blockTimeMs === undefined) this.notify()
    else if (this.#timer === undefined) this.#schedule(this.#options.blockTimeMs)
  }

  /**
   * Runs work while no block is produced: after the current one, and one piece of work after the other. A block that
   * becomes due meanwhile is produced after it.
   */
  hold<T>(work: () => Promise<T>): Promise<T> {
    this.#holders++
    const run = async (): Promise<T> => {
      await this.#running
      try {
        return await work()
      } finally {
        this.#holders--
        if (this.#isStarted && this.#running === undefined) this.#resume()
      }
    }
    const result = this.#turn.then(run)
    this.#turn = result.catch(() => {})
    return result
  }

  /** Stops. Resolves when the current block, if any, is committed, and held work is done; no further block is started. */
  async stop(): Promise<void> {
    this.#isStarted = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#cancelBatchTimer()
    await this.#running
    await this.#turn
  }

  /**
   * Reports that there may be a transaction. With instant sealing a block is started now, after a short delay, or after
   * the current one.
   */
  notify(): void {
    if (!this.#isStarted || !this.isInstantSeal || this.#holders > 0) return
    if (this.#running !== undefined || this.#timer !== undefined) return
    const batchDelayMs = this.#batchDelayMs()
    if (batchDelayMs > 0) this.#hasWaited = true
    const delayMs = Math.max(batchDelayMs, this.#incomingDelayMs())
    if (delayMs > 0) {
      clearTimeout(this.#batchTimer)
      this.#batchTimer = setTimeout(() => this.#startIfNeeded(), delayMs)
      return
    }
    this.#startIfNeeded()
  }

  #learnPatience(): void {
    if (this.#hasWaited)
      this.#patience = this.#isExpectingMore()
        ? Math.max(minPatience, this.#patience / 2)
        : Math.min(1, 2 * this.#patience)
    this.#hasWaited = false
  }

  /** Returns how long the next block waits for those whose signatures are under way: a batch is one block. */
  #incomingDelayMs(): number {
    const { incoming, waiting } = this.#dependencies
    if (incoming() === 0 || waiting() === 0 || waiting() >= manyWaiting) return 0
    const now = performance.now()
    this.#incomingUntil ??= now + maxIncomingDelayMs
    return this.#incomingUntil - now
  }

  #isExpectingMore(): boolean {
    return this.#dependencies.waiting() < this.#next.expected
  }

  /**
   * Returns how long the next block waits for more transactions. The clients whose transactions were in the last block
   * have just received their responses and may send again, beside those that sent while it was made, and a block for all
   * of them costs little more than one for the first. A few milliseconds after the last block there is no delay any more.
   */
  #batchDelayMs(): number {
    return this.#isExpectingMore() ? this.#next.delayUntil - performance.now() : 0
  }

  #cancelBatchTimer(): void {
    clearTimeout(this.#batchTimer)
    this.#batchTimer = undefined
    this.#incomingUntil = undefined
  }

  #startIfNeeded(): void {
    this.#learnPatience()
    this.#cancelBatchTimer()
    if (this.#holders > 0) return
    if (this.#dependencies.canWrite() && this.#dependencies.hasTransactions()) this.#startBlock()
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.isInstantSeal) this.notify()
      else if (this.#options.isManual !== true) this.#onInterval()
    }, ms)
  }

  #onInterval(): void {
    const { canWrite, hasTransactions } = this.#dependencies
    if (this.#holders > 0) this.#schedule(heldMs)
    else if (canWrite() && (this.#options.createEmptyBlocks || hasTransactions())) this.#startBlock()
    else this.#schedule(this.#options.blockTimeMs as number) // only reached with an interval
  }

  #startBlock(): void {
    const startedAt = performance.now()
    this.#running = this.#dependencies
      .produceBlock()
      .then((transactions) => {
        const now = performance.now()
        const expected =
          transactions > 1 ? Math.min(transactions + this.#dependencies.waiting(), maxExpected) : 0
        const delayMs = this.#patience * Math.min(2 * (now - startedAt), maxBatchDelayMs)
        this.#next = { expected, delayUntil: now + delayMs }
        this.#onBlockDone(startedAt)
      })
      .catch((error: unknown) => {
        if (isUnknownForkError(error)) {
          this.#running = undefined
          this.#isStarted = false
          this.#dependencies.onUnknownFork(error.message)
          return
        }
        const { isRefusedWrite, canWrite, log } = this.#dependencies
        if (!isRefusedWrite(error) && canWrite()) log.error({ err: error }, 'failed to produce a block')
        this.#running = undefined
        if (this.#isStarted) this.#schedule(retryMs)
      })
  }

  #onBlockDone(startedAt: number): void {
    this.#running = undefined
    if (!this.#isStarted) return
    const { blockTimeMs, isManual } = this.#options
    if (isManual === true) return
    // The interval counts from the start of a block, so that its duration does not extend it.
    if (blockTimeMs === undefined) this.notify()
    else this.#schedule(Math.max(0, blockTimeMs - (performance.now() - startedAt)))
  }
}
