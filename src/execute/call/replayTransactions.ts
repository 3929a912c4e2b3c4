import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import { applyPreBlockCalls } from '../../evm/block/systemCalls.ts'
import type { Evm } from '../../evm/evm.ts'
import { toTransactionFields } from '../../evm/transaction/fields.ts'
import { toBlockContext } from './blockContext.ts'
import type { ExecutionBudget } from './budget.ts'
import type { StateAndHeader } from './callEnvironment.ts'
import { chainIdOf } from './chainIdOf.ts'

/** Returns the changes of the first transactions of a block of the chain; `state` is the state after its parent. */
export const replayTransactions = (
  evm: Evm,
  config: ChainConfig,
  { header, state, blockHash }: StateAndHeader,
  transactions: readonly { readonly transaction: Transaction; readonly sender: Uint8Array }[],
  budget: ExecutionBudget,
): StateChanges => {
  const { fork, block } = toBlockContext(config, header, blockHash)
  const execution = evm.createExecution({
    fork,
    chainId: chainIdOf(config, transactions, ({ transaction }) => transaction),
    chainLimits: config.limits,
    evmState: state,
    block,
    limits: budget.limits(),
  })
  applyPreBlockCalls(execution, fork, { hash: header.parentHash, beaconRoot: header.parentBeaconBlockRoot })
  for (const { transaction, sender } of transactions) {
    // The EVM's limits apply to one transaction, so the limits of all of them are checked in between.
    budget.check()
    const result = execution.transact(toTransactionFields(transaction), sender)
    if (!result.valid) throw new Error(`a transaction of the chain is invalid: ${result.reason}`)
    budget.spend(result.gasUsed)
  }
  return execution.drainChanges()
}
