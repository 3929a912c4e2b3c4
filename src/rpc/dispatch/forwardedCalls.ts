import type { ClientConnection } from '../../base/notification.ts'
import type { Caller } from '../access/access.ts'
import { RateLimiter } from '../access/rateLimit.ts'
import type { MemoryBudget } from '../memoryBudget.ts'
import type { CallDispatcher, Outcome } from './dispatcher.ts'
import type { InternalErrors } from './internalErrors.ts'
import { longBody } from './longWork.ts'
import { RequestScope } from './requestScope.ts'

export interface ForwardedCallsDependencies {
  readonly dispatcher: CallDispatcher
  readonly budget: MemoryBudget
  readonly internalErrors: InternalErrors
}

/** A call that was let in by another process. */
export interface ForwardedCall {
  readonly caller: Caller
  /** Where notifications for the client go; undefined over HTTP. */
  readonly connection: ClientConnection | undefined
  readonly method: string
  readonly params: readonly unknown[]
  /** The bytes in which it came. */
  readonly size: number
  /** The milliseconds in which it must have its response. */
  readonly answerWithinMs: number
}

/** A call that runs. */
export interface RunningCall {
  readonly outcome: Outcome | Promise<Outcome>
  /** What it may hold of the memory of requests, until `release`. */
  readonly memory: Pick<RequestScope, 'tryHold' | 'reserveResponse' | 'refusal'>
  /** Aborts it, because the client has left. */
  abandon(): void
  /** To be called when the outcome was sent. It never throws. */
  finish(): void
  /** Gives its memory back: the outcome was read, or nobody waits for it. */
  release(): void
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

  run({ caller, connection, method, params, size, answerWithinMs }: ForwardedCall): RunningCall {
    const { dispatcher, budget, internalErrors } = this.#dependencies
    const scope = new RequestScope(caller, this.#timeoutMs, this.#rates, budget, connection, answerWithinMs)
    return {
      outcome: scope.reserveParsed(size)
        ? dispatcher.dispatch({ id: undefined, method, params, isLong: size > longBody }, scope)
        : scope.refusal(),
      memory: scope,
      abandon: () => scope.abandon(),
      // What listens for the response runs here, where nobody else would catch what it throws.
      finish: () => internalErrors.contain('response', () => scope.close()),
      release: () => scope.release(),
    }
  }

  /** Counts a page that is sent to another process in the memory of requests. Returns what gives that back. */
  countPage(bytes: number): () => void {
    const { budget } = this.#dependencies
    budget.count(bytes)
    return () => budget.give(bytes)
  }
}
