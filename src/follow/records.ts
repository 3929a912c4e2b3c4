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
  const time = `,"blockTimestamp":${JSON.stringify(blockTimestamp)}`
  const lines: Record<RecordKind, string> = {
    block: toLine('block', { ...header, transactionCount: `0x${transactions.length.toString(16)}` }),
    transaction: '',
    receipt: '',
    log: '',
    trace: '',
  }
  for (const transaction of transactions) lines.transaction += toTimedLine('transaction', transaction, time)
  for (const { logs, ...receipt } of receipts) {
    lines.receipt += toTimedLine('receipt', receipt, time)
    for (const log of logs) lines.log += toTimedLine('log', log, time)
  }
  for (const [index, { txHash, result }] of (traces ?? []).entries())
    lines.trace += toLine('trace', {
      ...{ blockNumber, blockHash, blockTimestamp, transactionHash: txHash },
      ...{ transactionIndex: `0x${index.toString(16)}`, trace: result },
    })
  return lines
}

/** Named `record`, because transactions and receipts have a `type` of their own. */
const toLine = (record: RecordKind, fields: object, added = ''): string => {
  const members = JSON.stringify(fields).slice(1, -1)
  return `{"record":"${record}"${members === '' ? '' : ','}${members}${added}}\n`
}

/** As `toLine`, with the time of its block where the node does not say it; as text, since most of the work would be copies. */
const toTimedLine = (record: RecordKind, fields: object, time: string): string =>
  toLine(record, fields, 'blockTimestamp' in fields ? '' : time)
