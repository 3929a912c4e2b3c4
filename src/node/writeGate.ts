import { freeBytes as measureFreeBytes, hasRoom as probeRoom } from '../base/files/fileSystem.ts'
import type { Logger } from '../base/logging/log.ts'
import { ThreadError } from '../base/threads/threadRpc.ts'
import { type ChainError, limitExceeded, unavailable } from '../chain/chainError.ts'
import { isFailedCommit, isLowSpaceError, isOutOfSpace } from '../engine/commitErrors.ts'

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
  /** Returns whether a folder's disk takes anything at all. */
  readonly hasRoom?: (folder: string) => boolean
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
 * Whether transactions are taken and blocks begun. It is closed while the disk is nearly full or takes nothing at all, and for
 * good after a commit failed. What cannot be written is rejected at once; reads go on.
 */
export class WriteGate {
  readonly #options: WriteGateOptions
  readonly #measure: (folder: string) => number
  readonly #hasRoom: (folder: string) => boolean
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  readonly #onClose: ((error: ChainError) => void)[] = []
  readonly #onOpen: (() => void)[] = []
  #neededBytes: number
  #freeBytes = Number.POSITIVE_INFINITY
  #isLow = false
  /** Whether the disk took nothing when it was tried last. */
  #isFull: boolean
  #failure: string | undefined

  constructor(
    options: WriteGateOptions,
    { freeBytes = measureFreeBytes, hasRoom = probeRoom, log }: WriteGateDependencies,
  ) {
    this.#options = options
    this.#measure = freeBytes
    this.#hasRoom = hasRoom
    this.#log = log
    this.#neededBytes = options.minFreeBytes
    this.#isFull = !hasRoom(options.folder)
    if (this.#isFull) this.#logFull()
    if (options.minFreeBytes === 0 && !this.#isFull) return
    this.check()
    this.#watch()
  }

  /** Why nothing is written now, in one line; undefined if the gate is open. */
  get problem(): string | undefined {
    if (this.#isFull)
      return `the disk of this node is full (${this.#options.folder}): make room there, and writing goes on by itself`
    if (this.#failure !== undefined)
      return `a commit failed (${this.#failure}): the chain is being opened again`
    if (!this.#isLow) return undefined
    return (
      `the disk of this node is nearly full: ${toMegabytes(this.#freeBytes)} MB are free, ` +
      `${toMegabytes(this.#neededBytes)} MB are needed (min-free-space): make room, and writing goes on by itself`
    )
  }

  get isOpen(): boolean {
    return this.problem === undefined
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
    // A quota may be met on a disk that has free space.
    if (!this.#isFull && !this.#hasRoom(this.#options.folder)) this.#closeFull()
    this.#update(freeBytes ?? 0)
    this.#watch()
    return true
  }

  /** Closes the gate for good, after a commit failed. */
  closeForGood(reason: string): void {
    if (this.#failure !== undefined) return
    this.#failure = reason
    // The chain is opened again at once, and waits for room then.
    this.#isFull ||= isOutOfSpace(reason) || !this.#hasRoom(this.#options.folder)
    this.#tellClosed()
  }

  /** Returns the error that a client gets for a write that failed: the same as those who come after it. */
  explain(error: unknown): unknown {
    return this.closeForSpace(error) || isFailedCommit(error) ? (this.#error() ?? error) : error
  }

  /** Measures the free space. */
  check(): void {
    if (this.#isFull) this.#tryAgain()
    try {
      this.#update(this.#measure(this.#options.folder))
    } catch (error) {
      this.#log.debug({ err: error }, 'the free space cannot be read')
    }
  }

  stats(): DiskStats {
    return { freeBytes: this.#freeBytes, neededBytes: this.#neededBytes, isLow: this.#isLow || this.#isFull }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.check(), this.#options.pollMs ?? defaultPollMs).unref()
  }

  #logFull(): void {
    this.#log.error({ reason: this.problem }, 'writing is paused: the disk is full')
  }

  #closeFull(): void {
    this.#isFull = true
    this.#logFull()
    this.#tellClosed()
  }

  #tryAgain(): void {
    if (!this.#hasRoom(this.#options.folder)) return
    this.#isFull = false
    this.#log.info('the disk takes writes again')
    if (this.isOpen) this.#tellOpen()
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
      if (this.isOpen) this.#tellOpen()
    }
  }

  #tellOpen(): void {
    for (const listener of this.#onOpen) listener()
  }

  #tellClosed(): void {
    const error = this.#error()
    if (error !== undefined) for (const listener of this.#onClose) listener(error)
  }

  #error(): ChainError | undefined {
    const { problem } = this
    if (problem === undefined) return undefined
    return this.#failure === undefined || this.#isFull ? limitExceeded(problem) : unavailable(problem)
  }
}

const toMegabytes = (bytes: number): number => Math.floor(bytes / 1e5) / 10
