import type { ExecutionLimits } from '../../evm/types.ts'

/** The time that one transaction may take; over at once when nobody waits any more. */
export class TraceDeadline {
  readonly #timeoutMs: number
  readonly #isCancelled: () => boolean
  #end: number

  constructor(timeoutMs: number, isCancelled: () => boolean) {
    this.#timeoutMs = timeoutMs
    this.#isCancelled = isCancelled
    this.#end = performance.now() + timeoutMs
  }

  /** The next transaction begins. */
  restart(): void {
    this.#end = performance.now() + this.#timeoutMs
  }

  readonly deadline = (): number => (this.#isCancelled() ? 0 : this.#end)

  readonly limits = (): ExecutionLimits => ({ deadline: this.deadline() })
}
