import { refused } from '../../chain/chainError.ts'
import type { CallOutcome } from '../../chain/port/executor.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { ExecutionBudget } from './budget.ts'
import type { CallEnvironment } from './callEnvironment.ts'
import { MessageError } from './callMessage.ts'

/** Returns the gas of a call: what it asks for, up to the cap. */
export const cappedGas = ({ gas }: TransactionRequest, gasCap: bigint): bigint =>
  gas === undefined || gas > gasCap ? gasCap : gas

/** Runs a call and describes its outcome. */
export const runCall = (
  environment: CallEnvironment,
  request: TransactionRequest,
  gasCap: bigint,
  budget: ExecutionBudget,
): CallOutcome => {
  const prepared = environment.prepare(request)
  const gasLimit = cappedGas(request, gasCap)
  try {
    const executed = environment.run(prepared, gasLimit, budget)
    return environment.describe(executed, prepared, gasLimit, budget)
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw refused(`err: ${error.message} (supplied gas ${gasLimit})`)
  }
}
