import { createReceipt, type Receipt } from '../../chain/block/receipt.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { since } from '../../chain/config/forks.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import type { SimulatedCallJson } from '../../chain/json/simulationJson.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import { fillCall, type GasPool, runCall, type SimulatedCallContext } from './simulatedCall.ts'
import type { LogTracer } from './simulatedLogs.ts'
import { toSimulatedTransaction } from './simulatedTransaction.ts'

/** The context that the calls of one block share. */
export interface SimulatedCallsContext extends SimulatedCallContext {
  readonly budget: ExecutionBudget
  readonly gasPool: GasPool
  readonly logTracer: LogTracer
  /** Returns the root of the current state, which receipts before Byzantium contain. */
  readonly intermediateRoot: () => Uint8Array
}

export interface SimulatedCallsResult {
  readonly calls: readonly SimulatedCallJson[]
  readonly receipts: readonly Receipt[]
  /** All logs, with the synthetic logs of transfers if the client asked for them. */
  readonly logs: readonly Log[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
}

/** Runs the calls one after the other, each as a transaction of the block. */
export const runCalls = (
  context: SimulatedCallsContext,
  requests: readonly TransactionRequest[],
): SimulatedCallsResult => {
  const { fork, block, chainId, budget, gasPool, logTracer, intermediateRoot } = context
  const calls: SimulatedCallJson[] = []
  const receipts: Receipt[] = []
  const logs: Log[] = []
  let gasUsed = 0n
  let blobGasUsed = 0n
  for (const request of requests) {
    budget.check()
    const filled = fillCall(context, request, block.gasLimit - gasUsed, gasPool)
    const simulated = toSimulatedTransaction(filled.request, fork, chainId, filled.gasLimit)
    const { transaction } = simulated
    logTracer.drain()
    const run = runCall(context, filled)
    const indexed = logTracer.drain()
    gasPool.left -= run.gasUsed
    gasUsed += run.gasUsed
    if (transaction.type === 3) blobGasUsed += BigInt(transaction.blobVersionedHashes.length) * gasPerBlob
    for (const { log } of indexed) logs.push(log)
    const result = { ...run.result, error: run.result.error && (logTracer.failure ?? run.result.error) }
    calls.push({ ...simulated, ...run, result, logs: indexed, isCapped: filled.isCapped })
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
