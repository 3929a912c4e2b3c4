import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Receipt } from '../block/receipt.ts'
import { createLogWriter, type LogLocation } from './logJson.ts'

export interface ReceiptJsonFields {
  readonly receipt: Receipt
  readonly location: LogLocation
  readonly sender: Uint8Array
  readonly to: Uint8Array | undefined
  /** The address at which a transaction without `to` creates its contract, also if the creation failed. */
  readonly contractAddress: Uint8Array | undefined
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint
  /** The blob gas of a blob transaction; undefined for other types. */
  readonly blobs: { readonly gasUsed: bigint; readonly gasPrice: bigint } | undefined
  /** The number of logs before the transaction in its block. */
  readonly firstLogIndex: number
}

/** The text of a receipt, and the position of its logs in the text. */
export interface ReceiptJson {
  readonly text: string
  readonly logs: readonly { readonly start: number; readonly end: number }[]
}

const addressOrNull = (address: Uint8Array | undefined): string => (address ? `"${toHex(address)}"` : 'null')

const outcomeMember = ({ outcome }: Receipt): string => {
  if (outcome instanceof Uint8Array) return `"root":"${toHex(outcome)}"`
  return outcome ? '"status":"0x1"' : '"status":"0x0"'
}

export const receiptJson = (fields: ReceiptJsonFields): ReceiptJson => {
  const { receipt, location, blobs } = fields
  const writeLog = createLogWriter(location)
  let text =
    `{${blobs ? `"blobGasPrice":"${toQuantity(blobs.gasPrice)}","blobGasUsed":"${toQuantity(blobs.gasUsed)}",` : ''}` +
    `"blockHash":"${toHex(location.blockHash)}","blockNumber":"${toQuantity(location.blockNumber)}",` +
    `"contractAddress":${addressOrNull(fields.contractAddress)},` +
    `"cumulativeGasUsed":"${toQuantity(receipt.cumulativeGasUsed)}",` +
    `"effectiveGasPrice":"${toQuantity(fields.effectiveGasPrice)}","from":"${toHex(fields.sender)}",` +
    `"gasUsed":"${toQuantity(fields.gasUsed)}","logs":[`
  const logs = receipt.logs.map((log, index) => {
    if (index > 0) text += ','
    const start = text.length
    text += writeLog(log, fields.firstLogIndex + index)
    return { start, end: text.length }
  })
  text +=
    `],"logsBloom":"${toHex(receipt.logsBloom)}",${outcomeMember(receipt)},"to":${addressOrNull(fields.to)},` +
    `"transactionHash":"${toHex(location.transactionHash)}",` +
    `"transactionIndex":"${toQuantity(location.transactionIndex)}","type":"0x${receipt.type}"}`
  return { text, logs }
}
