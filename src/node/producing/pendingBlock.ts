import { toHex } from '../../base/encoding/hex.ts'
import { encodeBlock } from '../../chain/block/block.ts'
import { blockJsonFrame, transactionHashesJson } from '../../chain/json/blockJson.ts'
import {
  headerMembersToTimestamp,
  headerMembersToUncles,
  withdrawalsRootMember,
} from '../../chain/json/headerJson.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import type { PendingBlock } from '../../chain/port/blocks.ts'
import type { PoolTransaction } from '../../chain/port/pool.ts'
import type { BlockPreview } from '../../execute/pending/buildPendingBlock.ts'

/** Returns the JSON of the pending block. Its transactions are shown as the pool shows them. */
export const createPendingBlock = (
  preview: BlockPreview,
  transactions: readonly PoolTransaction[],
): PendingBlock => {
  const { header, hash, receipts } = preview
  const withdrawals = header.withdrawalsRoot && []
  const texts = transactions.map((transaction) => transactionJson({ ...transaction, inclusion: undefined }))
  const size = encodeBlock({ header, transactions, ommers: [], withdrawals }).length
  const frame = blockJsonFrame({ header, hash, size, ommerHashes: [], withdrawals }, 'pending')
  return {
    transactionCount: transactions.length,
    blockJson: (isFull) => {
      const inner = isFull ? texts.join(',') : transactionHashesJson(transactions.map((tx) => tx.hash))
      return Buffer.from(`${frame.open}${inner}${frame.close}`)
    },
    headerJson: () =>
      Buffer.from(
        `{${headerMembersToUncles(header, hash, 'pending')}${headerMembersToTimestamp(header)}` +
          `"transactionsRoot":"${toHex(header.transactionsRoot)}"${withdrawalsRootMember(header)}}`,
      ),
    transactionJson: (index) => {
      const text = texts[index]
      return text === undefined ? undefined : Buffer.from(text)
    },
    transactionRlp: (index) => transactions[index]?.raw,
    receiptsJson: () => Buffer.from(`[${receipts.join(',')}]`),
  }
}
