import { fromHex } from '../../base/encoding/hex.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { asBuffer } from '../tables/rowKeys.ts'
import { toAppearancePostings, toLogPostings } from './blockPostings.ts'
import type { PostingListUpdate } from './postingTable.ts'

/** The members of a receipt's JSON from which the index entries are made. */
interface IndexedReceipt {
  readonly from: string
  readonly to: string | null
  readonly contractAddress: string | null
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[]
}

export interface IndexEntries {
  readonly logLists: readonly PostingListUpdate[]
  readonly appearances: readonly PostingListUpdate[]
}

const noData = new Uint8Array()

/** Returns the index entries of a block, from its stored receipts. */
export const toIndexEntries = (number: number, receiptsJson: Uint8Array): IndexEntries => {
  const receipts = JSON.parse(asBuffer(receiptsJson).toString()) as IndexedReceipt[] // written by encodeBlockRows
  const logs = receipts.map((receipt) =>
    receipt.logs.map(
      ({ address, topics }): Log => ({
        address: fromHex(address),
        topics: topics.map(fromHex),
        data: noData,
      }),
    ),
  )
  const participants = receipts.map(({ from, to, contractAddress }, index) => ({
    sender: fromHex(from),
    to: to === null ? undefined : fromHex(to),
    created: contractAddress === null ? undefined : fromHex(contractAddress),
    logs: logs[index] ?? [],
  }))
  return { logLists: toLogPostings(number, logs), appearances: toAppearancePostings(number, participants) }
}
