import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakCallbacks'],
])

/** A performance entry of the type `gc`; Node's types do not declare its detail. */
type GcEntry = PerformanceEntry & { readonly detail?: { readonly kind?: number } }

interface Pauses {
  count: number
  milliseconds: number
  longest: number
}

/** The number of recent pauses that are kept, as in Go. */
const recentPauses = 256

/** Counts the garbage collections on the main thread since its creation. */
export class GcStats {
  readonly #byKind = new Map<string, Pauses>()
  readonly #recent: { readonly at: number; readonly milliseconds: number }[] = []
  readonly #observer = new PerformanceObserver((list) => this.#record(list.getEntries()))
  readonly #since = Date.now()

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  stats() {
    this.#record(this.#observer.takeRecords())
    const all = [...this.#byKind.values()]
    const last = this.#recent.at(-1)
    return {
      since: new Date(this.#since).toISOString(),
      count: all.reduce((sum, { count }) => sum + count, 0),
      pauseMilliseconds: all.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
      last: last === undefined ? null : new Date(last.at).toISOString(),
      byKind: Object.fromEntries([...this.#byKind].map(([kind, pauses]) => [kind, { ...pauses }])),
      recentPauseMilliseconds: this.#recent.map(({ milliseconds }) => milliseconds).reverse(),
    }
  }

  close(): void {
    this.#observer.disconnect()
  }

  #record(entries: readonly GcEntry[]): void {
    for (const { startTime, duration, detail } of entries) {
      const kind = kinds.get(detail?.kind ?? 0) ?? 'other'
      const pauses = this.#byKind.get(kind) ?? { count: 0, milliseconds: 0, longest: 0 }
      pauses.count++
      pauses.milliseconds += duration
      pauses.longest = Math.max(pauses.longest, duration)
      this.#byKind.set(kind, pauses)
      this.#recent.push({ at: performance.timeOrigin + startTime, milliseconds: duration })
    }
    this.#recent.splice(0, this.#recent.length - recentPauses)
  }
}

/** The value for no target, with which V8 adapts to the program. */
export const noTarget = -1

/** The target for the growth of the heap between two full collections. It applies to all threads of the process. */
export class HeapGrowthTarget {
  #percent = noTarget

  /** Sets the target and returns the previous one. */
  set(percent: number): number {
    const previous = this.#percent
    // The runtime reads the flag after each collection; 0 means no target.
    setFlagsFromString(`--heap-growing-percent=${percent === noTarget ? 0 : percent}`)
    this.#percent = percent
    return previous
  }
}
