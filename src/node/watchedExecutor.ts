import type { BlockRef } from '../chain/port/blockRef.ts'
import type { CallRequest, Executor } from '../chain/port/executor.ts'
import type { ConsoleWatch } from './consoleWatch.ts'

/** A call in which a contract called the console. */
export type ConsoleCallListener = (call: CallRequest, at: BlockRef) => void

/**
 * Returns the executor with a watch on the calls that run on this thread: most do, and those that take longer are not told
 * of. Estimates are not either: what is estimated is most often sent next, and would be told twice.
 */
export const watchCalls = (
  executor: Executor,
  watch: Pick<ConsoleWatch, 'takeIsUsed'>,
  onConsoleCall: ConsoleCallListener,
): Executor => {
  return {
    call: (request, at, signal) => {
      watch.takeIsUsed()
      const outcome = executor.call(request, at, signal)
      if (watch.takeIsUsed()) onConsoleCall(request, at)
      return outcome
    },
    estimateGas: (request, at, signal) => executor.estimateGas(request, at, signal),
    createAccessList: (request, at, signal) => executor.createAccessList(request, at, signal),
    callMany: (...args) => executor.callMany(...args),
    simulate: (...args) => executor.simulate(...args),
    stateBefore: (location, signal) => executor.stateBefore(location, signal),
  }
}
