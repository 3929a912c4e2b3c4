import { TransportError } from '../../comet/data/transportErrors.ts'

interface SharedCall<Result> {
  readonly result: Promise<Result>
  readonly controller: AbortController
  callers: number
}

/**
 * Shares the result of equal calls in flight, so that each is made once. A call is aborted when no caller waits for it
 * any more.
 */
export class SingleFlight<Result> {
  readonly #open = new Map<string, SharedCall<Result>>()
  /** The number of calls that joined another one in flight. */
  joined = 0

  run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (signal.aborted) return Promise.reject(new TransportError('the caller has gone away'))
    const known = this.#open.get(key)
    if (known) this.joined++
    const shared = known ?? this.#startCall(key, work)
    shared.callers++
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (--shared.callers === 0) shared.controller.abort(signal.reason)
        reject(new TransportError('the caller has gone away'))
      }
      signal.addEventListener('abort', leave, { once: true })
      const done = (): void => signal.removeEventListener('abort', leave)
      shared.result.then(resolve, reject).finally(done)
    })
  }

  #startCall(key: string, work: (signal: AbortSignal) => Promise<Result>): SharedCall<Result> {
    const controller = new AbortController()
    const forget = (): void => {
      if (this.#open.get(key) === shared) this.#open.delete(key)
    }
    controller.signal.addEventListener('abort', forget, { once: true })
    const shared: SharedCall<Result> = {
      result: work(controller.signal).finally(forget),
      controller,
      callers: 0,
    }
    this.#open.set(key, shared)
    return shared
  }
}
