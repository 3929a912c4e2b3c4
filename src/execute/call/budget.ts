import { type ExecutionLimits, InterruptedError } from '../../evm/types.ts'

export interface BudgetOptions {
  /**
   * Returns the deadline on the clock of `performance.now()`, in milliseconds. It is read repeatedly, because it may
   * move closer.
   */
  readonly deadline: () => number
  /** The gas for all executions together; undefined if only the gas limit of each execution counts. */
  readonly gasBudget?: bigint
}

/** The time and gas that one task may still use. A task may consist of many executions. */
export class ExecutionBudget {
  readonly #deadline: () => number
  #gasLeft: bigint | undefined

  constructor({ deadline, gasBudget }: BudgetOptions) {
    this.#deadline = deadline
    this.#gasLeft = gasBudget
  }

  /** Throws `InterruptedError` if time or gas is used up. */
  check(): void {
    if (performance.now() > this.#deadline()) throw new InterruptedError('deadline')
    if (this.#gasLeft !== undefined && this.#gasLeft < 0n) throw new InterruptedError('gas budget')
  }

  /** Whether the task runs for a time that is its own; one with a gas budget is run again elsewhere when that is used up. */
  get isFinal(): boolean {
    return this.#gasLeft === undefined
  }

  /** Whether there is time left. */
  get hasTime(): boolean {
    return performance.now() <= this.#deadline()
  }

  /** Returns a budget without gas that ends after a part of the time that is left of this one. */
  part(share: number): ExecutionBudget {
    const now = performance.now()
    const end = now + (this.#deadline() - now) * share
    return new ExecutionBudget({ deadline: () => Math.min(end, this.#deadline()) })
  }

  /** Returns the limits for the next execution. */
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
