import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { comma } from '../../base/json/jsonCodes.ts'
import { TimeSlice, TurnQueue } from '../../base/threads/timeSlice.ts'
import type { BlockLogs } from '../../chain/port/logs.ts'

/** The limits of one response, from the settings of `[json-rpc]`. */
export interface LogLimits {
  /** The maximum number of logs; 0 for no limit. */
  readonly logsCap: number
  /** The maximum size of the logs in bytes. */
  readonly logsBytesCap: number
}

export interface CollectedLogs {
  /** The JSON of logs, to be joined by commas. */
  readonly parts: readonly Uint8Array[]
  readonly count: number
  /** The only block, if it alone exceeds a limit. */
  readonly excess: { readonly number: number; readonly limit: keyof LogLimits } | undefined
  /** The first block that did not fit, and the limit that it would have exceeded. */
  readonly stop: { readonly number: number; readonly limit: keyof LogLimits } | undefined
}

/** Collects the results of a search block by block, up to the limits. */
class LogCollector implements CollectedLogs {
  readonly parts: Uint8Array[] = []
  count = 0
  stop: CollectedLogs['stop']
  excess: CollectedLogs['excess']
  readonly #found: Iterator<BlockLogs>
  readonly #limits: LogLimits
  readonly #hold: (bytes: number) => void
  #bytes = 0

  constructor(found: Iterable<BlockLogs>, limits: LogLimits, hold: (bytes: number) => void) {
    this.#found = found[Symbol.iterator]()
    this.#limits = limits
    this.#hold = hold
  }

  /** Collects until the slice is over. Returns false if there is more. */
  run(slice: TimeSlice): boolean {
    do {
      const { done, value } = this.#found.next()
      if (done === true) return true
      if (value.count > 0 && !this.#add(value)) {
        this.#found.return?.()
        return true
      }
    } while (!slice.isOver)
    return false
  }

  /**
   * Adds the logs of a block. The first block is always added, so that a client that continues at the `stop` block
   * makes progress.
   */
  #add({ number, count, text }: BlockLogs): boolean {
    const { logsCap, logsBytesCap } = this.#limits
    const exceeded =
      logsCap > 0 && this.count + count > logsCap
        ? 'logsCap'
        : this.#bytes + text.length > logsBytesCap && 'logsBytesCap'
    if (exceeded && this.count > 0) this.stop = { number, limit: exceeded }
    else {
      if (exceeded) this.excess = { number, limit: exceeded }
      this.#hold(text.length)
      this.#append(text)
      this.count += count
      this.#bytes += text.length + 1
    }
    return this.stop === undefined
  }

  #append(text: Uint8Array): void {
    const last = this.parts.length - 1
    const before = this.parts[last]
    const both = before && joinAdjacent(before, text)
    if (both === undefined) this.parts.push(text)
    else this.parts[last] = both
  }
}

/** Returns both parts as one if they lie behind each other with a comma between; undefined if not. */
const joinAdjacent = (part: Uint8Array, next: Uint8Array): Uint8Array | undefined => {
  const { buffer, byteOffset, length } = part
  if (next.buffer !== buffer || next.byteOffset !== byteOffset + length + 1) return undefined
  const both = new Uint8Array(buffer, byteOffset, length + 1 + next.length)
  return both[length] === comma ? both : undefined
}

/** The part of the scope of a call that a search needs. */
export interface SearchScope {
  /** Aborts when nobody waits for the result. */
  readonly signal: AbortSignal
  /** Counts memory that the search holds; throws if there is too little. */
  hold(bytes: number): void
}

/** Searches take turns among themselves, so that other work does not wait behind all of them. */
const searches = new TurnQueue()

/** Returns the time that a search may take before others have their turn. */
export const searchSlice = (): TimeSlice => TimeSlice.inTurn(searches)

/** Collects the logs of a search: at once if that is quick, or else in slices between other work. */
export const collectLogs = (
  found: Iterable<BlockLogs>,
  limits: LogLimits,
  scope: SearchScope,
): MaybePromise<CollectedLogs> => {
  const collector = new LogCollector(found, limits, (bytes) => scope.hold(bytes))
  const slice = searchSlice()
  return collector.run(slice) ? collector : collectInSlices(collector, slice, scope.signal)
}

const collectInSlices = async (
  collector: LogCollector,
  slice: TimeSlice,
  signal: AbortSignal,
): Promise<CollectedLogs> => {
  do {
    await slice.next()
    signal.throwIfAborted()
  } while (!collector.run(slice))
  return collector
}
