import { onTimeoutOrAbort } from '../../comet/client/deadline.ts'
import type { CallOptions } from '../../comet/client/httpClient.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { StateWitness } from '../../families/detect/detectionQueries.ts'
import type { Upstream } from './upstream.ts'

/** The longest time of a check. What is checked may have more. */
const maxCheckMs = 60_000

/**
 * Checks that the state behind a response was not pruned, for nodes that answer at a pruned height as if the state were
 * empty. The check comes after the response, because states are pruned in between; responses that came while one check
 * is in flight share the next one.
 */
export class StateChecks {
  readonly #witness: StateWitness
  readonly #running = new Map<string, Promise<void>>()
  /** The checks that follow those in flight. */
  readonly #next = new Map<string, Promise<void>>()

  constructor(witness: StateWitness) {
    this.#witness = witness
  }

  /**
   * Throws a `NativeQueryError` of kind `pruned` if the upstream does not keep the state of the height. The check has
   * the time of a call, because others may share it; this caller waits only for the time that its own call has left.
   */
  check(upstream: Upstream, height: number, options: CallOptions, leftMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = onTimeoutOrAbort(options.signal, Math.max(0, leftMs), reject)
      this.#join(upstream, height, options).then(resolve, reject).finally(cancel)
    })
  }

  #join(upstream: Upstream, height: number, options: CallOptions): Promise<void> {
    const key = `${upstream.name} ${height}`
    const running = this.#running.get(key)
    if (running === undefined) return this.#run(key, upstream, height, options)
    const known = this.#next.get(key)
    if (known !== undefined) return known
    const start = (): Promise<void> => {
      this.#next.delete(key)
      return this.#run(key, upstream, height, options)
    }
    const check = running.then(start, start)
    this.#next.set(key, check)
    return check
  }

  #run(key: string, upstream: Upstream, height: number, { timeoutMs }: CallOptions): Promise<void> {
    const { path, isKept } = this.#witness
    // Without the signal of the caller, because others may wait for the same check.
    const check = upstream
      .query(path, new Uint8Array(0), height, 'light', { timeoutMs: Math.min(timeoutMs, maxCheckMs) })
      .then((response) => {
        if (!isKept(response)) throw new NativeQueryError('pruned', `the state of height ${height} is pruned`)
      })
    this.#running.set(key, check)
    const end = (): void => {
      if (this.#running.get(key) === check) this.#running.delete(key)
    }
    check.then(end, end)
    return check
  }
}
