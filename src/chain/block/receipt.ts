import { emptyBytes } from '../../base/encoding/bytes.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpInput, type RlpItem } from '../../base/encoding/rlp.ts'
import { encodeInteger, withType } from '../transaction/encode.ts'
import type { TransactionType } from '../transaction/transaction.ts'
import { bloomLength, createBloom } from './bloom.ts'
import type { Log } from './receiptLog.ts'
import { RlpListReader } from './rlpListReader.ts'
import { listRoot } from './trieRoot.ts'

/** The consensus fields of an executed transaction's receipt. */
export interface Receipt {
  readonly type: TransactionType
  /** Whether the transaction succeeded (EIP-658); before Byzantium the state root after it. */
  readonly outcome: boolean | Uint8Array
  /** Gas used in the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}

export const createReceipt = (fields: Omit<Receipt, 'logsBloom'>): Receipt => ({
  ...fields,
  logsBloom: createBloom(fields.logs),
})

const encodeOutcome = (outcome: boolean | Uint8Array): Uint8Array => {
  if (outcome instanceof Uint8Array) return outcome
  return outcome ? Uint8Array.of(1) : emptyBytes
}

const logFields = ({ address, topics, data }: Log): RlpInput => [address, topics, data]

/** Encodes a receipt in the consensus form: EIP-2718's type byte, then the list. */
export const encodeReceipt = (receipt: Receipt): Uint8Array =>
  withType(
    receipt.type,
    encodeRlp([
      encodeOutcome(receipt.outcome),
      encodeInteger(receipt.cumulativeGasUsed),
      receipt.logsBloom,
      receipt.logs.map(logFields),
    ]),
  )

const decodeLog = (item: RlpItem): Log => {
  const fields = new RlpListReader(item, 'log')
  const address = fields.fixed('address', 20)
  const topics = fields.list('topics').map((topic) => {
    if (topic instanceof Uint8Array && topic.length === 32) return topic
    throw new RlpError('a topic is not a string of 32 bytes')
  })
  if (topics.length > 4) throw new RlpError(`log has ${topics.length} topics`)
  const data = fields.bytes('data')
  fields.end()
  return { address, topics, data }
}

const decodeOutcome = (bytes: Uint8Array): boolean | Uint8Array => {
  if (bytes.length === 32) return bytes
  if (bytes.length === 0) return false
  if (bytes.length === 1 && bytes[0] === 1) return true
  throw new RlpError('receipt has neither a status nor a state root')
}

/** Decodes a receipt; its byte fields are views into `bytes`. */
export const decodeReceipt = (bytes: Uint8Array): Receipt => {
  const first = bytes[0]
  const isLegacy = first !== undefined && first >= 0xc0
  if (!isLegacy && (first === undefined || first < 1 || first > 4))
    throw new RlpError(`receipt type ${first} is not known`)
  const type = (isLegacy ? 0 : first) as TransactionType // 1 to 4 by the check above
  const fields = new RlpListReader(decodeRlp(isLegacy ? bytes : bytes.subarray(1)), 'receipt')
  const receipt = {
    type,
    outcome: decodeOutcome(fields.bytes('outcome', 32)),
    cumulativeGasUsed: fields.integer('cumulativeGasUsed', 8),
    logsBloom: fields.fixed('logsBloom', bloomLength),
    logs: fields.list('logs').map(decodeLog),
  }
  fields.end()
  return receipt
}

export const receiptsRoot = (receipts: readonly Receipt[]): Uint8Array =>
  listRoot(receipts.map(encodeReceipt))
