import { type ExecutionLimits, InterruptedError } from '../../evm/types.ts'

export interface BudgetOptions {
  /** Milliseconds on the clock of `performance.now()`; asked again and again, so that it can come nearer. */
  readonly deadline: () => number
  /** For all executions together; undefined: only the gas of each counts. */
  readonly gasBudget?: bigint
}

/** What is left of the time and gas of one task, which may take many executions. */
export class ExecutionBudget {
  readonly #deadline: () => number
  #gasLeft: bigint | undefined

  constructor({ deadline, gasBudget }: BudgetOptions) {
    this.#deadline = deadline
    this.#gasLeft = gasBudget
  }

  /** Throws `InterruptedError` when nothing is left. */
  check(): void {
    if (performance.now() > this.#deadline()) throw new InterruptedError('deadline')
    if (this.#gasLeft !== undefined && this.#gasLeft < 0n) throw new InterruptedError('gas budget')
  }

  /** For the next execution. */
  limits(): ExecutionLimits {
    const deadline = this.#deadline
    this.check()
    if (this.#gasLeft === undefined) {
      return {
        get deadline() {
          return deadline()
        },
      }
    }
    return {
      get deadline() {
        return deadline()
      },
      gasBudget: this.#gasLeft,
    }
  }

  spend(gas: bigint): void {
    if (this.#gasLeft !== undefined) this.#gasLeft -= gas
  }
}
