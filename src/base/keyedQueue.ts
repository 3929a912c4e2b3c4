import { type LockWaitRecorder, noopWaitRecorder } from './profiling/lockWaitStats.ts'

export interface KeyedQueueOptions {
  /** What waits are counted under. */
  readonly name: string
  /** How many may wait for the same key, and what the next is told; without a limit everybody waits. */
  readonly limit?: { readonly maxWaiting: number; readonly error: () => Error }
}

interface Line {
  last: Promise<unknown>
  /** How many run or wait. */
  length: number
}

/** Runs work for the same key one after the other, for different keys side by side. */
export class KeyedQueue {
  readonly #options: KeyedQueueOptions
  readonly #waits: LockWaitRecorder
  readonly #lines = new Map<string, Line>()

  constructor(options: KeyedQueueOptions, waits: LockWaitRecorder = noopWaitRecorder) {
    this.#options = options
    this.#waits = waits
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { limit } = this.#options
    const line = this.#lines.get(key)
    if (line !== undefined && limit !== undefined && line.length > limit.maxWaiting) throw limit.error()
    const result = line === undefined ? work() : this.#runAfter(line.last, work)
    const own = line ?? { last: result, length: 0 }
    own.last = result
    own.length++
    this.#lines.set(key, own)
    try {
      return await result
    } finally {
      if (--own.length === 0) this.#lines.delete(key)
    }
  }

  #runAfter<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
    const endWait = this.#waits.startWait(this.#options.name)
    const begin = (): Promise<T> => {
      endWait()
      return work()
    }
    // How the one before ended is its own caller's affair.
    return before.then(begin, begin)
  }
}
