import type { StoredRows } from '../blockStoreReader.ts'
import { copyFrame, copyHashes, decodeFrame } from '../packing/frame.ts'
import { copyTexts, entryCount, logTable, textEntry } from '../packing/pages.ts'
import { asBuffer } from '../tables/rowKeys.ts'

/** The rows of a block as they were written before schema 5, with texts as they are, made of those of today. */

type TextRows = Pick<StoredRows, 'frame' | 'hashes' | 'transactions' | 'receipts'>

export const toPlainRows = ({ frame, hashes, transactions, receipts }: TextRows): TextRows => ({
  frame: toPlainFrame(asBuffer(frame)),
  hashes: hashes && toPlainHashes(asBuffer(hashes), decodeFrame(asBuffer(frame)).transactions),
  transactions: transactions.map((page) => toPlainPage(asBuffer(page), false)),
  receipts: receipts.map((page) => toPlainPage(asBuffer(page), true)),
})

const toPlainFrame = (row: Buffer): Buffer => {
  const layout = decodeFrame(row)
  const text = new Uint8Array(layout.openLength + layout.closeLength)
  copyFrame(row, layout, text)
  const { transactions, logs, transactionsLength, receiptsLength, openLength } = layout
  return Buffer.concat([
    toIntegers([transactions, logs, transactionsLength, receiptsLength, openLength]),
    text,
  ])
}

const toPlainHashes = (row: Buffer, transactions: number): Buffer => {
  const text = Buffer.alloc(69 * transactions - 1)
  copyHashes(row, text.length, text, 0)
  return text
}

const toPlainPage = (page: Buffer, hasLogs: boolean): Buffer => {
  const count = entryCount(page)
  const texts = Array.from({ length: count }, (_, entry) => asBuffer(textEntry(page, entry) as Uint8Array)) // counted
  const length = texts.reduce((sum, text) => sum + text.length + 1, -1)
  const body = Buffer.alloc(length)
  copyTexts(page, body, 0)
  let end = -1
  const ends = texts.map((text) => {
    end += 1 + text.length
    return end
  })
  const logs = hasLogs ? plainLogs(page, texts) : []
  return Buffer.concat([toIntegers([count, 8 + 4 * (count + logs.length), ...ends, ...logs]), body])
}

/** Returns the index of the first log, the number of logs, and start and end of each in the plain body. */
const plainLogs = (page: Buffer, texts: readonly Buffer[]): number[] => {
  const { body, count, table } = logTable(page)
  const spans: number[] = []
  let entry = 0
  let start = 0
  let from = 0
  for (let log = 0; log < count; log++) {
    const at = table + 8 * log
    const text = page.subarray(body + page.readUInt32LE(at), body + page.readUInt32LE(at + 4))
    // A log has its index in the block, so that no two are the same and they are found in their order.
    for (let found = -1; found < 0; ) {
      const within = texts[entry]
      if (within === undefined) throw new RangeError('a log is not in its receipt')
      found = within.indexOf(text, from)
      if (found >= 0) {
        spans.push(start + found, start + found + text.length)
        from = found + text.length
      } else {
        start += within.length + 1
        entry++
        from = 0
      }
    }
  }
  return [page.readUInt32LE(table - 8), count, ...spans]
}

const toIntegers = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return bytes
}
