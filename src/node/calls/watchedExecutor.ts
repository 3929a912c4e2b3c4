import type {
  CallOutcome,
  CallWaiter,
  ConsoleCall,
  EstimateOutcome,
  Executor,
  FailedCall,
} from '../../chain/port/executor.ts'
import type { ConsoleWatch } from './consoleWatch.ts'

export interface CallListeners {
  readonly onConsoleCall: (used: ConsoleCall) => void
  readonly onFailedCall: (failed: FailedCall) => void
}

/**
 * Returns the executor with a watch on its calls. Of estimates those that fail are reported: what succeeds is most often sent
 * next, and would be told twice, while a library sends nothing after an estimate that failed.
 */
export const watchCalls = (
  executor: Executor,
  watch: Pick<ConsoleWatch, 'takeIsUsed'>,
  { onConsoleCall, onFailedCall }: CallListeners,
): Executor => {
  return {
    call: (request, at, waiter) => {
      watch.takeIsUsed()
      const outcome = executor.call(request, at, waiter)
      const isUsed = watch.takeIsUsed()
      // A listener that throws leaves nobody who waits for the outcome.
      if (outcome instanceof Promise) outcome.catch(() => {})
      const made = { method: 'eth_call', call: request, at, ...toolOf(waiter) } as const
      if (isUsed || outcome instanceof Promise) onConsoleCall({ ...made, isCertain: isUsed })
      const tell = (ended: CallOutcome): CallOutcome => {
        if (!ended.isSuccess) onFailedCall({ ...made, outcome: ended })
        return ended
      }
      return outcome instanceof Promise ? outcome.then(tell) : tell(outcome)
    },
    estimateGas: (request, at, waiter) => {
      watch.takeIsUsed()
      const outcome = executor.estimateGas(request, at, waiter)
      const isUsed = watch.takeIsUsed()
      const tell = (estimate: EstimateOutcome): EstimateOutcome => {
        const { failure } = estimate
        if (failure === undefined) return estimate
        const made = { method: 'eth_estimateGas', call: request, at, ...toolOf(waiter) } as const
        // On another thread it may have called the console.
        if (isUsed || outcome instanceof Promise) onConsoleCall({ ...made, isCertain: isUsed })
        onFailedCall({ ...made, outcome: failure })
        return estimate
      }
      return outcome instanceof Promise ? outcome.then(tell) : tell(outcome)
    },
    createAccessList: (request, at, signal) => executor.createAccessList(request, at, signal),
    callMany: (...args) => executor.callMany(...args),
    simulate: (...args) => executor.simulate(...args),
    witness: (...args) => executor.witness(...args),
    stateBefore: (location, signal) => executor.stateBefore(location, signal),
  }
}

const toolOf = (waiter: CallWaiter): Pick<FailedCall, 'userAgent'> => ({
  userAgent: waiter instanceof AbortSignal ? undefined : waiter.caller?.userAgent,
})
