import { maxBlockTime } from '../../chain/port/dev.ts'
import type { BlockTimeRule } from '../blocks/blockTime.ts'

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/** The part of the clock that outlives the process. */
export interface ClockSettings {
  readonly offset: number
  readonly interval: number | undefined
}

/** The time of the next block: by the rule of the chain, unless dev methods moved the clock or set the time. */
export class BlockClock {
  readonly #rule: BlockTimeRule
  /** By how many seconds the time of blocks is ahead of the clock. */
  #offset = 0
  /** The time that was set for the next block. */
  #next: number | undefined
  /** The seconds between a block and its parent. */
  #interval: number | undefined

  constructor(rule: BlockTimeRule) {
    this.#rule = rule
  }

  get settings(): ClockSettings {
    return { offset: this.#offset, interval: this.#interval }
  }

  set settings({ offset, interval }: ClockSettings) {
    this.#offset = offset
    this.#interval = interval
    this.#next = undefined
  }

  /** Returns a function that sets the clock back to what it is now. */
  remember(): () => void {
    const { settings } = this
    const next = this.#next
    return () => {
      this.settings = settings
      this.#next = next
    }
  }

  get interval(): number | undefined {
    return this.#interval
  }

  set interval(interval: number | undefined) {
    this.#interval = interval
  }

  /** Whether the time of the next block was set, or its distance from its parent. */
  get isSet(): boolean {
    return this.#next !== undefined || this.#interval !== undefined
  }

  readonly nextTime: BlockTimeRule = (parentTime, nowMs) => {
    return Math.min(this.#unbounded(parentTime, nowMs), maxBlockTime)
  }

  #unbounded(parentTime: number, nowMs: number): number {
    if (this.#next !== undefined) return Math.max(this.#next, parentTime)
    if (this.#interval !== undefined) return parentTime + this.#interval
    // Milliseconds of such times would not be exact.
    return this.#rule(parentTime - this.#offset, nowMs) + this.#offset
  }

  /** Moves the time forward and returns the offset. Blocks that came faster than the clock are ahead of it already. */
  increase(by: number, parentTime: number, nowMs: number): number {
    this.#offset = Math.min(Math.max(this.#offset, parentTime - seconds(nowMs)) + by, maxBlockTime)
    return this.#offset
  }

  /** Makes a time that of now. */
  setNow(time: number, nowMs: number): void {
    this.#offset = Math.min(time, maxBlockTime) - seconds(nowMs)
    this.#next = undefined
  }

  /** Returns the time of now. */
  now(nowMs: number): number {
    return seconds(nowMs) + this.#offset
  }

  setNext(time: number | undefined): void {
    this.#next = time
  }

  /** Goes on from the time of a block, if that was set. */
  onBlock(time: number, nowMs: number): void {
    if (this.#next === undefined) return
    this.setNow(time, nowMs)
  }
}
