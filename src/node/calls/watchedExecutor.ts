import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallRequest, EstimateOutcome, Executor } from '../../chain/port/executor.ts'
import type { ConsoleWatch } from './consoleWatch.ts'

/** Is told of a call in which a contract called the console or, if it ran on another thread, may have. */
export type ConsoleCallListener = (call: CallRequest, at: BlockRef, isCertain: boolean) => void

/**
 * Returns the executor with a watch on its calls. Of estimates those that fail are told of: what succeeds is most often sent
 * next, and would be told twice, while a library sends nothing after an estimate that failed.
 */
export const watchCalls = (
  executor: Executor,
  watch: Pick<ConsoleWatch, 'takeIsUsed'>,
  onConsoleCall: ConsoleCallListener,
): Executor => {
  return {
    call: (request, at, waiter) => {
      watch.takeIsUsed()
      const outcome = executor.call(request, at, waiter)
      const isUsed = watch.takeIsUsed()
      if (isUsed || outcome instanceof Promise) onConsoleCall(request, at, isUsed)
      return outcome
    },
    estimateGas: (request, at, waiter) => {
      watch.takeIsUsed()
      const outcome = executor.estimateGas(request, at, waiter)
      const isUsed = watch.takeIsUsed()
      const tell = (estimate: EstimateOutcome, isCertain: boolean): EstimateOutcome => {
        if (estimate.failure !== undefined) onConsoleCall(request, at, isCertain)
        return estimate
      }
      if (outcome instanceof Promise) return outcome.then((estimate) => tell(estimate, isUsed))
      return isUsed ? tell(outcome, true) : outcome
    },
    createAccessList: (request, at, signal) => executor.createAccessList(request, at, signal),
    callMany: (...args) => executor.callMany(...args),
    simulate: (...args) => executor.simulate(...args),
    stateBefore: (location, signal) => executor.stateBefore(location, signal),
  }
}
