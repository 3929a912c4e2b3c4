import { fromHex } from '../../base/encoding/hex.ts'
import type { Receipt } from '../block/receipt.ts'
import type { Log } from '../block/receiptLog.ts'
import type { TransactionType } from '../transaction/transaction.ts'

/** The members of a receipt's JSON from which its consensus form is made. */
interface ReceiptMembers {
  readonly type: string
  readonly status?: string
  readonly root?: string
  readonly cumulativeGasUsed: string
  readonly logsBloom: string
  readonly logs: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data: string
  }[]
}

const parseLog = ({ address, topics, data }: ReceiptMembers['logs'][number]): Log => ({
  address: fromHex(address),
  topics: topics.map(fromHex),
  data: fromHex(data),
})

/**
 * Converts a receipt's JSON that this program or geth wrote; it does not validate, so it is not for data from
 * clients.
 */
export const receiptFromJson = (members: ReceiptMembers): Receipt => ({
  type: Number(members.type) as TransactionType, // written from one
  outcome: members.root === undefined ? members.status === '0x1' : fromHex(members.root),
  cumulativeGasUsed: BigInt(members.cumulativeGasUsed),
  logsBloom: fromHex(members.logsBloom),
  logs: members.logs.map(parseLog),
})
