interface Shared<T> {
  readonly promise: Promise<T>
  readonly abort: AbortController
  waiting: number
}

/** The same question in flight is asked once. It is given up when nobody waits for it any more. */
export class SharedWork<T> {
  readonly #inFlight = new Map<string, Shared<T>>()

  /** Rejects with the signal's reason when it aborts, whatever becomes of the work. */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const shared = this.#inFlight.get(key) ?? this.#begin(key, work)
    shared.waiting++
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', give)
        if (--shared.waiting > 0) return
        this.#forget(key, shared)
        shared.abort.abort(signal.reason)
      }
      const give = (): void => {
        leave()
        reject(signal.reason)
      }
      signal.addEventListener('abort', give, { once: true })
      shared.promise.then(
        (value) => {
          leave()
          resolve(value)
        },
        (error: unknown) => {
          leave()
          reject(error)
        },
      )
    })
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController()
    const shared: Shared<T> = { promise: work(abort.signal), abort, waiting: 0 }
    this.#inFlight.set(key, shared)
    return shared
  }

  #forget(key: string, shared: Shared<T>): void {
    if (this.#inFlight.get(key) === shared) this.#inFlight.delete(key)
  }
}
