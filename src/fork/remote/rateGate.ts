import { sleep } from '../../base/async/sleep.ts'

/** The compute units of a request on average, as anvil counts them. */
const unitsPerCall = 17

/**
 * Holds requests back while the remote limits them. Once it has done so, they are also spread to the rate of the setting; a
 * remote that never limits is asked as fast as it answers.
 */
export class RateGate {
  readonly #callsPerMs: number
  readonly #now: () => number
  #pausedUntil = 0
  #isPaced = false
  /** When the calls that were let through so far would be done at the rate. */
  #spentUntil = 0

  /** `computeUnits` are those of a second; 0 for no rate. */
  constructor(computeUnits: number, now: () => number = () => performance.now()) {
    this.#callsPerMs = computeUnits / unitsPerCall / 1000
    this.#now = now
  }

  /** Lets nothing through for some time, because the remote said so. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds)
    this.#isPaced = this.#callsPerMs > 0
  }

  /** Returns how long a number of calls must wait now, and counts them. */
  reserve(calls: number): number {
    const now = this.#now()
    let start = Math.max(now, this.#pausedUntil)
    if (this.#isPaced) {
      start = Math.max(start, this.#spentUntil)
      this.#spentUntil = start + calls / this.#callsPerMs
    }
    return start - now
  }

  /** Resolves when a number of calls may be sent, or as soon as the signal is aborted. */
  async pass(calls: number, signal: AbortSignal): Promise<void> {
    const milliseconds = this.reserve(calls)
    if (milliseconds > 0) await sleep(milliseconds, signal)
    // A pause that began meanwhile counts too.
    const rest = this.#pausedUntil - this.#now()
    if (rest > 0 && !signal.aborted) await sleep(rest, signal)
  }
}
