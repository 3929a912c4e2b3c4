const failuresToOpen = 5
const firstPauseMs = 250
/** Short, so that a node that is back is used again within a second. */
const maxPauseMs = 1_000

/** After some failures in a row nobody is made to wait for the next; from time to time one call may try. */
export class CircuitBreaker {
  #failures = 0
  #retryAt = 0
  #isHalfOpen = false

  get isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }

  /** Whether a call may be made now; while open, one at a time and not too often. */
  allows(now: number): boolean {
    if (!this.isOpen) return true
    return !this.#isHalfOpen && now >= this.#retryAt
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

  /** The call ended without telling anything of the node: its caller left. */
  onCancelled(): void {
    this.#isHalfOpen = false
  }
}
