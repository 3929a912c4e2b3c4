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

/** The gas up to which a task with a gas budget is not checked for its time: it does not choose when it gets the processor. */
const uncheckedGas = 100_000n

/** The time and gas that one task may still use. A task may consist of many executions. */
export class ExecutionBudget implements ExecutionLimits {
  readonly #deadline: () => number
  readonly #gas: bigint | undefined
  #spent = 0n

  constructor({ deadline, gasBudget }: BudgetOptions) {
    this.#deadline = deadline
    this.#gas = gasBudget
  }

  get deadline(): number {
    return this.#deadline()
  }

  /** The gas that is left; undefined if there is no limit. */
  get gasBudget(): bigint | undefined {
    return this.#gas === undefined ? undefined : this.#gas - this.#spent
  }

  /** Throws `InterruptedError` if time or gas is used up. */
  check(): void {
    if (this.#gas !== undefined) {
      if (this.#spent > this.#gas) throw new InterruptedError('gas budget')
      if (this.#spent < uncheckedGas) return
    }
    if (performance.now() > this.#deadline()) throw new InterruptedError('deadline')
  }

  /** Whether the task runs for a time that is its own; one with a gas budget is run again elsewhere when that is used up. */
  get isFinal(): boolean {
    return this.#gas === undefined
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
    this.check()
    return this
  }

  spend(gas: bigint): void {
    this.#spent += gas
  }
}
