import type { FollowedBlock } from './blockSource.ts'

/** The kinds of records, in the order in which those of a block are written. */
export const recordKinds = ['block', 'transaction', 'receipt', 'log', 'trace'] as const
export type RecordKind = (typeof recordKinds)[number]

/** The lines of some blocks, by their kind. */
export type RecordLines = Readonly<Record<RecordKind, string>>

/**
 * Returns the records of a block, as lines of JSON: what the node answers, with the lists inside of a block and of a receipt
 * as records of their own. docs/feed.md is the schema.
 */
export const encodeRecords = ({ block, receipts, traces }: FollowedBlock): RecordLines => {
  const { transactions, ...header } = block
  const { number: blockNumber, hash: blockHash, timestamp: blockTimestamp } = header
  const lines: Record<RecordKind, string> = {
    block: toLine('block', { ...header, transactionCount: `0x${transactions.length.toString(16)}` }),
    transaction: '',
    receipt: '',
    log: '',
    trace: '',
  }
  for (const transaction of transactions)
    lines.transaction += toLine('transaction', { ...transaction, blockTimestamp })
  for (const { logs, ...receipt } of receipts) {
    lines.receipt += toLine('receipt', { ...receipt, blockTimestamp })
    for (const log of logs) lines.log += toLine('log', { ...log, blockTimestamp })
  }
  for (const [index, { txHash, result }] of (traces ?? []).entries())
    lines.trace += toLine('trace', {
      ...{ blockNumber, blockHash, blockTimestamp, transactionHash: txHash },
      ...{ transactionIndex: `0x${index.toString(16)}`, trace: result },
    })
  return lines
}

/** Named `record`, because transactions and receipts have a `type` of their own. */
const toLine = (record: RecordKind, fields: object): string => `${JSON.stringify({ record, ...fields })}\n`
