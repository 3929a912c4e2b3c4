import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { ChainError } from '../../chain/chainError.ts'
import type { Executor } from '../../chain/port/executor.ts'
import type { Fees } from '../../chain/port/fees.ts'
import type { Tracing } from '../../chain/port/traces.ts'
import { isBlockNotFound } from '../../chain/trace/traceErrors.ts'
import type { Reverts } from './revertWatch.ts'

/**
 * A thread for calls reads the store for itself. What it was asked on a head that is removed before it begins fails there,
 * though the client asked for the head, whichever it is: such a call is made again on the new one.
 */
const askAgain = <Result>(reverts: Reverts, ask: () => MaybePromise<Result>): MaybePromise<Result> => {
  const { count } = reverts
  const answer = ask()
  if (!(answer instanceof Promise)) return answer
  return answer.catch(async (error: unknown) => {
    if (!isGoneError(error) || !(await reverts.hasPassed(count))) throw error
    return askAgain(reverts, ask)
  })
}

/** Returns whether an error may be of a block that was there when the call was made. */
export const isGoneError = (error: unknown): boolean =>
  error instanceof ChainError &&
  (error.kind === 'header not found' || error.kind === 'state pruned' || isBlockNotFound(error))

/** Returns an executor that asks again. */
export const executeAgain = (executor: Executor, reverts: Reverts): Executor => ({
  call: (...args) => askAgain(reverts, () => executor.call(...args)),
  estimateGas: (...args) => askAgain(reverts, () => executor.estimateGas(...args)),
  createAccessList: (...args) => askAgain(reverts, () => executor.createAccessList(...args)),
  callMany: (...args) => askAgain(reverts, () => executor.callMany(...args)),
  simulate: (...args) => askAgain(reverts, () => executor.simulate(...args)),
  witness: (...args) => askAgain(reverts, () => executor.witness(...args)),
  stateBefore: (...args) => askAgain(reverts, () => executor.stateBefore(...args)),
})

/** Returns traces that are requested again. */
export const traceAgain = (traces: Tracing, reverts: Reverts): Tracing => {
  const again = <Result>(ask: () => Promise<Result>): Promise<Result> =>
    Promise.resolve(askAgain(reverts, ask))
  return {
    transaction: (...args) => again(() => traces.transaction(...args)),
    block: (...args) => again(() => traces.block(...args)),
    encodedBlock: (...args) => again(() => traces.encodedBlock(...args)),
    call: (...args) => again(() => traces.call(...args)),
    intermediateRoots: (...args) => again(() => traces.intermediateRoots(...args)),
    witness: (...args) => again(() => traces.witness(...args)),
    blockToFiles: (...args) => again(() => traces.blockToFiles(...args)),
  }
}

/** Returns fees whose history is requested again: it is read in slices, between which blocks may be removed. */
export const historyAgain = (fees: Fees, reverts: Reverts): Fees => ({
  suggestTip: () => fees.suggestTip(),
  nextBaseFee: () => fees.nextBaseFee(),
  blobBaseFee: () => fees.blobBaseFee(),
  history: (...args) => Promise.resolve(askAgain(reverts, () => fees.history(...args))),
})
