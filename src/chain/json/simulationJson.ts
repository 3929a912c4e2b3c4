import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { revertReason } from '../abi/revertReason.ts'
import type { Log } from '../block/receiptLog.ts'
import type { RecoveredTransaction } from '../transaction/transaction.ts'
import { type BlockJsonFields, blockJsonFrame, transactionHashesJson } from './blockJson.ts'
import { createLogWriter } from './logJson.ts'
import { transactionJson } from './transactionJson.ts'

/** One call of a simulated block and its outcome. */
export interface SimulatedCallJson extends RecoveredTransaction {
  readonly result: {
    readonly success: boolean
    /** The EVM's error text for a failure. */
    readonly error: string | undefined
    readonly output: Uint8Array
  }
  readonly logs: readonly { readonly log: Log; readonly index: number }[]
  readonly gasUsed: bigint
  readonly peakGas: bigint
  readonly isCapped: boolean
}

export interface SimulatedBlockJson extends Omit<BlockJsonFields, 'ommerHashes'> {
  readonly calls: readonly SimulatedCallJson[]
}

/** The error codes that execution-apis define for the result of a call. */
const revertedCode = 3
const failedCode = -32015

const errorJson = ({
  result: { error = 'execution failed', output },
  isCapped,
}: SimulatedCallJson): string => {
  if (error !== 'execution reverted') {
    const message = isCapped ? `${error} (gas limit was capped by the RPC server's global gas cap)` : error
    return `{"message":${JSON.stringify(message)},"code":${failedCode}}`
  }
  const reason = revertReason(output)
  const message = reason === undefined ? error : `${error}: ${reason}`
  return `{"message":${JSON.stringify(message)},"code":${revertedCode},"data":"${toHex(output)}"}`
}

const callJson = (call: SimulatedCallJson, block: SimulatedBlockJson, index: number): string => {
  const { success, output } = call.result
  const writeLog = createLogWriter({
    blockHash: block.hash,
    blockNumber: block.header.number,
    blockTimestamp: block.header.timestamp,
    transactionHash: call.hash,
    transactionIndex: index,
  })
  return (
    `{"returnData":"${success ? toHex(output) : '0x'}",` +
    `"logs":[${call.logs.map(({ log, index: logIndex }) => writeLog(log, logIndex)).join(',')}],` +
    `"gasUsed":"${toQuantity(call.gasUsed)}","maxUsedGas":"${toQuantity(call.peakGas)}",` +
    `"status":"${success ? '0x1' : '0x0'}"${success ? '' : `,"error":${errorJson(call)}`}}`
  )
}

const transactionsJson = ({ header, hash, calls }: SimulatedBlockJson): string =>
  calls
    .map(({ transaction, hash: transactionHash, sender }, index) =>
      transactionJson({
        transaction,
        hash: transactionHash,
        sender,
        inclusion: {
          blockHash: hash,
          blockNumber: header.number,
          blockTimestamp: header.timestamp,
          baseFeePerGas: header.baseFeePerGas,
          index,
        },
      }),
    )
    .join(',')

/** Returns a block of `eth_simulateV1`: the JSON of a block with the results of its calls. */
export const simulatedBlockJson = (block: SimulatedBlockJson, isFull: boolean): string => {
  const { open, close } = blockJsonFrame({ ...block, ommerHashes: [] })
  const transactions = isFull
    ? transactionsJson(block)
    : transactionHashesJson(block.calls.map(({ hash }) => hash))
  const calls = block.calls.map((call, index) => callJson(call, block, index)).join(',')
  return `${open}${transactions}${close.slice(0, -1)},"calls":[${calls}]}`
}
