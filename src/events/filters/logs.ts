import type { MaybePromise } from '../../base/maybePromise.ts'
import { TimeSlice } from '../../base/timeSlice.ts'
import type { BlockLogs } from '../../chain/port/logs.ts'

/** What one answer may hold, as the settings of `[json-rpc]` have it. */
export interface LogLimits {
  /** The most logs; 0 is no limit. */
  readonly logsCap: number
  /** The most bytes of logs. */
  readonly logsBytesCap: number
}

export interface GatheredLogs {
  /** JSON of logs, to be joined by commas. */
  readonly parts: readonly Uint8Array[]
  readonly count: number
  /** The only block, where it alone is more than the limits allow. */
  readonly excess: { readonly number: number; readonly limit: keyof LogLimits } | undefined
  /** The first block that had no place, and the limit that it would have broken. */
  readonly stop: { readonly number: number; readonly limit: keyof LogLimits } | undefined
}

/** Takes what a search finds, block by block, as far as the limits go. */
class Gathering implements GatheredLogs {
  readonly parts: Uint8Array[] = []
  count = 0
  stop: GatheredLogs['stop']
  excess: GatheredLogs['excess']
  readonly #found: Iterator<BlockLogs>
  readonly #limits: LogLimits
  #bytes = 0

  constructor(found: Iterable<BlockLogs>, limits: LogLimits) {
    this.#found = found[Symbol.iterator]()
    this.#limits = limits
  }

  /** False: there is more, but the slice is over. */
  run(slice: TimeSlice): boolean {
    do {
      const { done, value } = this.#found.next()
      if (done === true) return true
      if (value.count > 0 && !this.#take(value)) {
        this.#found.return?.()
        return true
      }
    } while (!slice.isOver)
    return false
  }

  /** The first block is taken whatever it holds: who goes on from the block that had no place gets ahead. */
  #take({ number, count, text }: BlockLogs): boolean {
    const { logsCap, logsBytesCap } = this.#limits
    const isOver =
      logsCap > 0 && this.count + count > logsCap
        ? 'logsCap'
        : this.#bytes + text.length > logsBytesCap && 'logsBytesCap'
    if (isOver && this.count > 0) this.stop = { number, limit: isOver }
    else {
      if (isOver) this.excess = { number, limit: isOver }
      this.parts.push(text)
      this.count += count
      this.#bytes += text.length + 1
    }
    return this.stop === undefined
  }
}

/** At once where it is soon done; otherwise in turns with everybody else. */
export const gatherLogs = (
  found: Iterable<BlockLogs>,
  limits: LogLimits,
  signal: () => AbortSignal,
): MaybePromise<GatheredLogs> => {
  const gathering = new Gathering(found, limits)
  const slice = new TimeSlice()
  return gathering.run(slice) ? gathering : goOn(gathering, slice, signal())
}

const goOn = async (gathering: Gathering, slice: TimeSlice, signal: AbortSignal): Promise<GatheredLogs> => {
  do {
    await slice.next()
    signal.throwIfAborted()
  } while (!gathering.run(slice))
  return gathering
}
