import type { ClientConnection } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import { RateLimiter } from '../access/rateLimit.ts'
import type { MemoryBudget } from '../memoryBudget.ts'
import type { CallDispatcher, Outcome } from './dispatcher.ts'
import { RequestScope } from './requestScope.ts'

export interface ForwardedCallsDependencies {
  readonly dispatcher: CallDispatcher
  readonly budget: MemoryBudget
}

/** A call that was let in by another process. */
export interface ForwardedCall {
  readonly caller: Caller
  /** Where notifications for the client go; undefined over HTTP. */
  readonly connection: ClientConnection | undefined
  readonly method: string
  readonly params: readonly unknown[]
}

/** A call that runs. */
export interface RunningCall {
  readonly outcome: Outcome | Promise<Outcome>
  /** Aborts it, because the client has left. */
  abandon(): void
  /** To be called when the outcome was sent. */
  finish(): void
}

/** Runs calls that other processes let in. Rates are theirs to limit. */
export class ForwardedCalls {
  readonly #timeoutMs: number
  readonly #dependencies: ForwardedCallsDependencies
  readonly #rates = new RateLimiter(0, 0)

  constructor(timeoutMs: number, dependencies: ForwardedCallsDependencies) {
    this.#timeoutMs = timeoutMs
    this.#dependencies = dependencies
  }

  run({ caller, connection, method, params }: ForwardedCall): RunningCall {
    const { dispatcher, budget } = this.#dependencies
    const scope = new RequestScope(caller, this.#timeoutMs, this.#rates, budget, connection)
    return {
      outcome: dispatcher.dispatch({ id: undefined, method, params }, scope),
      abandon: () => scope.abandon(),
      finish: () => {
        scope.close()
        scope.release()
      },
    }
  }
}
