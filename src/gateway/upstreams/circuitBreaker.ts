const failuresToOpen = 5
const firstPauseMs = 250
/**
 * The longest pause between attempts. It is short, so that an upstream that recovered is used again within a second.
 */
const maxPauseMs = 1_000

/**
 * Stops calls to an upstream after several failures in a row, so that callers do not wait for the next failure. While
 * it is open, one call at a time may try.
 */
export class CircuitBreaker {
  #failures = 0
  #retryAt = 0
  #isHalfOpen = false
  #pausedUntil = 0

  get isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }

  /** Returns whether a call may be made now; while the breaker is open, one at a time and not too often. */
  allows(now: number): boolean {
    if (this.isPaused(now)) return false
    if (!this.isOpen) return true
    return !this.#isHalfOpen && now >= this.#retryAt
  }

  /** Returns whether the upstream asked to be left alone. */
  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  /** Records that the upstream asked to be left alone until a time, which is not a failure. */
  onLimited(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
    this.#isHalfOpen = false
  }

  onStart(): void {
    if (this.isOpen) this.#isHalfOpen = true
  }

  onSuccess(): void {
    this.#failures = 0
    this.#isHalfOpen = false
  }

  onFailure(now: number): void {
    this.#failures++
    this.#isHalfOpen = false
    const beyond = Math.max(0, this.#failures - failuresToOpen)
    this.#retryAt = now + Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(beyond, 10))
  }

  /** Records a call that its caller cancelled, which says nothing about the upstream. */
  onCancelled(): void {
    this.#isHalfOpen = false
  }
}
