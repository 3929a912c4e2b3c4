import { type LockWaitRecorder, noopWaitRecorder } from '../profiling/lockWaitStats.ts'

export interface KeyedQueueOptions {
  /** The name of the lock in the statistics of waits. */
  readonly name: string
  /**
   * The number of callers that may wait for the same key, and the error for the next one; without it there is no
   * limit.
   */
  readonly limit?: { readonly maxWaiting: number; readonly error: () => Error }
}

interface Queue {
  last: Promise<unknown>
  /** The number of callers that run or wait. */
  length: number
}

/** Runs work for the same key one after the other, for different keys concurrently. */
export class KeyedQueue {
  readonly #options: KeyedQueueOptions
  readonly #waits: LockWaitRecorder
  readonly #queues = new Map<string, Queue>()

  constructor(options: KeyedQueueOptions, waits: LockWaitRecorder = noopWaitRecorder) {
    this.#options = options
    this.#waits = waits
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { limit } = this.#options
    const waiting = this.#queues.get(key)
    if (waiting !== undefined && limit !== undefined && waiting.length > limit.maxWaiting) throw limit.error()
    const result = waiting === undefined ? work() : this.#runAfter(waiting.last, work)
    const queue = waiting ?? { last: result, length: 0 }
    queue.last = result
    queue.length++
    this.#queues.set(key, queue)
    try {
      return await result
    } finally {
      if (--queue.length === 0) this.#queues.delete(key)
    }
  }

  #runAfter<T>(previous: Promise<unknown>, work: () => Promise<T>): Promise<T> {
    const endWait = this.#waits.startWait(this.#options.name)
    const start = (): Promise<T> => {
      endWait()
      return work()
    }
    // An error of the previous work is handled by its caller.
    return previous.then(start, start)
  }
}
