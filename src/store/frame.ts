import type { BlockJsonFrame } from '../chain/json/block.ts'

/**
 * A block's JSON around its transactions, behind the lengths that a reader needs to allocate the whole response
 * at once. Integers are 4 bytes, little-endian.
 *
 *   transactions · logs · length of all transactions' JSON · of all receipts' · of `open` · open · close
 */
export interface FrameCounts {
  readonly transactions: number
  readonly logs: number
  /** The transactions' JSON with the commas between, in bytes. */
  readonly transactionsLength: number
  readonly receiptsLength: number
}

export interface FrameLayout extends FrameCounts {
  readonly openStart: number
  readonly closeStart: number
}

const openStart = 20

export const encodeFrame = ({ open, close }: BlockJsonFrame, counts: FrameCounts): Buffer => {
  const row = Buffer.allocUnsafeSlow(openStart + open.length + close.length)
  row.writeUInt32LE(counts.transactions, 0)
  row.writeUInt32LE(counts.logs, 4)
  row.writeUInt32LE(counts.transactionsLength, 8)
  row.writeUInt32LE(counts.receiptsLength, 12)
  row.writeUInt32LE(open.length, 16)
  row.write(open, openStart, 'latin1')
  row.write(close, openStart + open.length, 'latin1')
  return row
}

export const decodeFrame = (row: Buffer): FrameLayout => ({
  transactions: row.readUInt32LE(0),
  logs: row.readUInt32LE(4),
  transactionsLength: row.readUInt32LE(8),
  receiptsLength: row.readUInt32LE(12),
  openStart,
  closeStart: openStart + row.readUInt32LE(16),
})
