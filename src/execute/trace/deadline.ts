import type { ExecutionLimits } from '../../evm/types.ts'

/** The deadline of one transaction of a trace. It passes at once when the task is cancelled. */
export class TraceDeadline {
  readonly #timeoutMs: number
  readonly #isCancelled: () => boolean
  #end: number

  constructor(timeoutMs: number, isCancelled: () => boolean) {
    this.#timeoutMs = timeoutMs
    this.#isCancelled = isCancelled
    this.#end = performance.now() + timeoutMs
  }

  /** Starts the time of the next transaction. */
  restart(): void {
    this.#end = performance.now() + this.#timeoutMs
  }

  readonly deadline = (): number => (this.#isCancelled() ? 0 : this.#end)

  readonly limits = (): ExecutionLimits => ({ deadline: this.deadline() })
}
