import type { ExecutionLimits } from '../../evm/types.ts'

/** The deadline of one transaction of a trace. It passes at once when the task is cancelled. */
export class TraceDeadline {
  readonly #timeoutMs: number
  readonly #isCancelled: () => boolean
  readonly #waitedMs: () => number
  readonly #limits: ExecutionLimits
  #end: number

  /** `waitedMs` returns how long the thread has waited for others so far, which does not count. */
  constructor(timeoutMs: number, isCancelled: () => boolean, waitedMs: () => number = () => 0) {
    this.#timeoutMs = timeoutMs
    this.#isCancelled = isCancelled
    this.#waitedMs = waitedMs
    this.#end = this.#nextEnd()
    const { deadline } = this
    this.#limits = {
      get deadline() {
        return deadline()
      },
    }
  }

  #nextEnd(): number {
    return performance.now() + this.#timeoutMs - this.#waitedMs()
  }

  /** Starts the time of the next transaction. */
  restart(): void {
    this.#end = this.#nextEnd()
  }

  readonly deadline = (): number => (this.#isCancelled() ? 0 : this.#end + this.#waitedMs())

  /** One object for all who ask: the EVM does with every precompile. */
  readonly limits = (): ExecutionLimits => this.#limits
}
