import type { BlockRef } from '../chain/port/blockRef.ts'
import type { CallRequest, Executor } from '../chain/port/executor.ts'
import type { ConsoleWatch } from './consoleWatch.ts'

/** Is told of a call in which a contract called the console or, if it ran on another thread, may have. */
export type ConsoleCallListener = (call: CallRequest, at: BlockRef, isCertain: boolean) => void

/**
 * Returns the executor with a watch on its calls. Estimates are not told of: what is estimated is most often sent next, and
 * would be told twice.
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
    estimateGas: (request, at, waiter) => executor.estimateGas(request, at, waiter),
    createAccessList: (request, at, signal) => executor.createAccessList(request, at, signal),
    callMany: (...args) => executor.callMany(...args),
    simulate: (...args) => executor.simulate(...args),
    stateBefore: (location, signal) => executor.stateBefore(location, signal),
  }
}
