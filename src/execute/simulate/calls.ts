import type { Log } from '../../chain/block/log.ts'
import { createReceipt, type Receipt } from '../../chain/block/receipt.ts'
import { since } from '../../chain/config/forks.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import type { SimulatedCallJson } from '../../chain/json/simulation.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import { fillCall, type GasPool, runCall, type SimulatedCallContext } from './call.ts'
import type { LogTracer } from './logs.ts'
import { toSimulatedTransaction } from './transaction.ts'

/** What the calls of a block share. */
export interface SimulatedCallsContext extends SimulatedCallContext {
  readonly budget: ExecutionBudget
  readonly gasPool: GasPool
  readonly logTracer: LogTracer
  /** The root of the state as it is now, which receipts before Byzantium name. */
  readonly intermediateRoot: () => Uint8Array
}

export interface SimulatedCallsResult {
  readonly calls: readonly SimulatedCallJson[]
  readonly receipts: readonly Receipt[]
  /** With transfers, where they are wanted. */
  readonly logs: readonly Log[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
}

/** One call after the other, each a transaction of the block. */
export const runCalls = (
  setting: SimulatedCallsContext,
  requests: readonly TransactionRequest[],
): SimulatedCallsResult => {
  const { fork, block, chainId, budget, gasPool, logTracer, intermediateRoot } = setting
  const calls: SimulatedCallJson[] = []
  const receipts: Receipt[] = []
  const logs: Log[] = []
  let gasUsed = 0n
  let blobGasUsed = 0n
  for (const request of requests) {
    budget.check()
    const filled = fillCall(setting, request, block.gasLimit - gasUsed, gasPool)
    const simulated = toSimulatedTransaction(filled.request, fork, chainId, filled.gasLimit)
    const { transaction } = simulated
    logTracer.drain()
    const run = runCall(setting, filled)
    const indexed = logTracer.drain()
    gasPool.left -= run.gasUsed
    gasUsed += run.gasUsed
    if (transaction.type === 3) blobGasUsed += BigInt(transaction.blobVersionedHashes.length) * gasPerBlob
    for (const { log } of indexed) logs.push(log)
    calls.push({ ...simulated, ...run, logs: indexed, isCapped: filled.isCapped })
    receipts.push(
      createReceipt({
        type: transaction.type,
        outcome: since(fork, 'byzantium') ? run.result.success : intermediateRoot(),
        cumulativeGasUsed: gasUsed,
        logs: run.result.logs,
      }),
    )
  }
  return { calls, receipts, logs, gasUsed, blobGasUsed }
}
