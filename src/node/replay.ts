import type { ChainConfig } from '../chain/chainConfig.ts'
import { ChainError } from '../chain/chainError.ts'
import { decodeTransaction } from '../chain/transaction/decode.ts'
import { recoverSender } from '../chain/transaction/signature.ts'
import type { WorldChanges } from '../chain/world.ts'
import type { Machine } from '../evm/machine.ts'
import { openBlock } from '../evm/system.ts'
import { toTransactionFields } from '../evm/transactionFields.ts'
import { InterruptedError } from '../evm/types.ts'
import { contextOfHeader } from './blockContext.ts'
import type { CallPlace } from './nodeExecutor.ts'

/** What the first transactions of a block that is in the chain changed; `world` is the state after its parent. */
export const replay = (
  machine: Machine,
  config: ChainConfig,
  { header, world, blockHash }: CallPlace,
  rawTransactions: readonly Uint8Array[],
  timeoutMs: number,
): WorldChanges => {
  const { fork, block } = contextOfHeader(config, header, blockHash)
  const limits = { deadline: performance.now() + timeoutMs }
  const execution = machine.begin({ fork, chainId: config.chainId, world, block, limits })
  try {
    openBlock(execution, fork, { hash: header.parentHash, beaconRoot: header.parentBeaconBlockRoot })
    for (const raw of rawTransactions) {
      const transaction = decodeTransaction(raw)
      const sender = recoverSender(transaction, fork)
      if (sender === undefined) throw new Error('a transaction of the chain has no sender')
      const result = execution.transact(toTransactionFields(transaction), sender)
      if (!result.valid) throw new Error(`a transaction of the chain is invalid: ${result.reason}`)
    }
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    throw new ChainError('refused', `execution aborted (timeout = ${timeoutMs / 1000}s)`)
  }
  return execution.takeChanges()
}
