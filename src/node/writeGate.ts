import { freeBytes as measureFreeBytes } from '../base/files/fileSystem.ts'
import type { Logger } from '../base/logging/log.ts'
import { ThreadError } from '../base/threads/threadRpc.ts'
import { type ChainError, limitExceeded, unavailable } from '../chain/chainError.ts'
import { isLowSpaceError } from '../engine/lowSpace.ts'

export interface WriteGateOptions {
  /** The folder of the chain's data. */
  readonly folder: string
  /** The free space below which nothing is written; 0 for no limit. */
  readonly minFreeBytes: number
  readonly pollMs?: number
}

export interface WriteGateDependencies {
  /** Returns the free space of a folder's disk in bytes. */
  readonly freeBytes?: (folder: string) => number
  readonly log: Logger
}

/** The state of the disk, for the metrics. */
export interface DiskStats {
  readonly freeBytes: number
  /** The free space below which nothing is written. */
  readonly neededBytes: number
  readonly isLow: boolean
}

const defaultPollMs = 1_000

/** The space beyond the limit, as a part of it, that there must be before writing begins again. */
const resumeMargin = 1 / 16

/**
 * Whether transactions are taken and blocks begun. It is closed while the disk is nearly full, and for good after a
 * commit failed: what cannot be written is refused at once, and everything that only reads goes on.
 */
export class WriteGate {
  readonly #options: WriteGateOptions
  readonly #measure: (folder: string) => number
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout | undefined
  readonly #onClose: ((error: ChainError) => void)[] = []
  readonly #onOpen: (() => void)[] = []
  #neededBytes: number
  #freeBytes = Number.POSITIVE_INFINITY
  #isLow = false
  #failure: string | undefined

  constructor(options: WriteGateOptions, { freeBytes = measureFreeBytes, log }: WriteGateDependencies) {
    this.#options = options
    this.#measure = freeBytes
    this.#log = log
    this.#neededBytes = options.minFreeBytes
    if (options.minFreeBytes === 0) return
    this.check()
    this.#timer = setInterval(() => this.check(), options.pollMs ?? defaultPollMs)
    this.#timer.unref()
  }

  /** Why nothing is written now, in one line; undefined if the gate is open. */
  get problem(): string | undefined {
    if (this.#failure !== undefined)
      return `a commit failed (${this.#failure}): the chain is being opened again`
    if (!this.#isLow) return undefined
    return (
      `the disk of this node is nearly full: ${toMegabytes(this.#freeBytes)} MB are free, ` +
      `${toMegabytes(this.#neededBytes)} MB are needed (min-free-space)`
    )
  }

  get isOpen(): boolean {
    return this.#failure === undefined && !this.#isLow
  }

  /** Throws the error for a client whose transaction cannot be taken now. */
  assertOpen(): void {
    const error = this.#error()
    if (error !== undefined) throw error
  }

  /** Adds functions that are called when the gate closes, with the error for those who wait, and when it opens. */
  on(onClose: (error: ChainError) => void, onOpen: () => void): void {
    this.#onClose.push(onClose)
    this.#onOpen.push(onOpen)
  }

  /** Closes the gate if an error is that of a commit for which there was no space, and returns whether it is. */
  closeForSpace(error: unknown): boolean {
    if (!isLowSpaceError(error)) return false
    const { neededBytes, freeBytes } = (error instanceof ThreadError ? error.details : error) as {
      readonly neededBytes?: number
      readonly freeBytes?: number
    }
    this.#neededBytes = Math.max(this.#neededBytes, neededBytes ?? 0)
    this.#update(freeBytes ?? 0)
    return true
  }

  /** Closes the gate for good, after a commit failed. */
  closeForGood(reason: string): void {
    if (this.#failure !== undefined) return
    this.#failure = reason
    this.#tellClosed()
  }

  /** Measures the free space. */
  check(): void {
    try {
      this.#update(this.#measure(this.#options.folder))
    } catch (error) {
      this.#log.debug({ err: error }, 'the free space cannot be read')
    }
  }

  stats(): DiskStats {
    return { freeBytes: this.#freeBytes, neededBytes: this.#neededBytes, isLow: this.#isLow }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #update(freeBytes: number): void {
    this.#freeBytes = freeBytes
    if (this.#neededBytes === 0) return
    if (!this.#isLow && freeBytes < this.#neededBytes) {
      this.#isLow = true
      this.#log.error({ reason: this.problem }, 'writing is paused: the disk is nearly full')
      this.#tellClosed()
    } else if (this.#isLow && freeBytes >= this.#neededBytes * (1 + resumeMargin)) {
      this.#isLow = false
      this.#log.info({ freeMb: toMegabytes(freeBytes) }, 'writing goes on: there is space again')
      if (this.isOpen) for (const listener of this.#onOpen) listener()
    }
  }

  #tellClosed(): void {
    const error = this.#error()
    if (error !== undefined) for (const listener of this.#onClose) listener(error)
  }

  #error(): ChainError | undefined {
    const { problem } = this
    if (problem === undefined) return undefined
    return this.#failure === undefined ? limitExceeded(problem) : unavailable(problem)
  }
}

const toMegabytes = (bytes: number): number => Math.floor(bytes / 1e5) / 10
