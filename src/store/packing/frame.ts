import type { BlockJsonFrame } from '../../chain/json/blockJson.ts'
import { copyInto } from '../tables/peek.ts'
import { fragments } from './fragments.ts'
import { TextPacker } from './pack.ts'
import { unpackInto } from './unpack.ts'

/**
 * A block's JSON around its transactions, behind the lengths that a reader needs to allocate the whole response
 * at once. Integers are 4 bytes, little-endian.
 *
 *   transactions · logs · length of all transactions' JSON · of all receipts' · of `open` · of `close` · where packed `close`
 *   begins · open · close
 *
 * `open` and `close` are packed (see packing/), and the highest bit of the number of transactions is set. A row that was
 * written before schema 5 has them as they are, and ends its numbers with the length of `open`.
 */
export interface FrameCounts {
  readonly transactions: number
  readonly logs: number
  /** The transactions' JSON with the commas between, in bytes. */
  readonly transactionsLength: number
  readonly receiptsLength: number
}

export interface FrameLayout extends FrameCounts {
  readonly isPacked: boolean
  /** The length of the text before the transactions. */
  readonly openLength: number
  /** The length of the text after them. */
  readonly closeLength: number
  readonly openStart: number
  readonly closeStart: number
}

const packedFlag = 0x8000_0000
const plainStart = 20
const packedStart = 28

export const encodeFrame = ({ open, close }: BlockJsonFrame, counts: FrameCounts): Buffer => {
  const packer = new TextPacker(Math.max(open.length, close.length), open.length + close.length, 2)
  packer.add(open)
  const closeAt = packer.length
  packer.add(close)
  const row = Buffer.allocUnsafeSlow(packedStart + packer.length)
  row.writeUInt32LE((counts.transactions | packedFlag) >>> 0, 0)
  row.writeUInt32LE(counts.logs, 4)
  row.writeUInt32LE(counts.transactionsLength, 8)
  row.writeUInt32LE(counts.receiptsLength, 12)
  row.writeUInt32LE(open.length, 16)
  row.writeUInt32LE(close.length, 20)
  row.writeUInt32LE(packedStart + closeAt, 24)
  packer.copyTo(row, packedStart)
  return row
}

export const decodeFrame = (row: Buffer): FrameLayout => {
  const first = row.readUInt32LE(0)
  const isPacked = first >= packedFlag
  const openLength = row.readUInt32LE(16)
  const openStart = isPacked ? packedStart : plainStart
  const closeStart = isPacked ? row.readUInt32LE(24) : plainStart + openLength
  return {
    transactions: isPacked ? first - packedFlag : first,
    logs: row.readUInt32LE(4),
    transactionsLength: row.readUInt32LE(8),
    receiptsLength: row.readUInt32LE(12),
    isPacked,
    openLength,
    closeLength: isPacked ? row.readUInt32LE(20) : row.length - closeStart,
    openStart,
    closeStart,
  }
}

/** Copies the text before the transactions to the start of the target, and the one after them to its end. */
export const copyFrame = (row: Buffer, layout: FrameLayout, target: Uint8Array): void => {
  const { openStart, closeStart, closeLength } = layout
  const closeTo = target.length - closeLength
  if (!layout.isPacked) {
    copyInto(row, openStart, closeStart, target, 0)
    copyInto(row, closeStart, row.length, target, closeTo)
    return
  }
  unpackInto(row, openStart, closeStart, openStart, layout.openLength, target, 0)
  unpackInto(row, closeStart, row.length, openStart, closeLength, target, closeTo)
}

/** Marks a list of hashes that is packed; a plain one begins with a quotation mark. */
const packedHashes = 0xff

const quote = fragments.indexOf('"')
const comma = fragments.indexOf('","')
/** `0x` and the 64 digits of a hash, which follow as bytes. */
const hashToken = 0x60 + 63
const hashBytes = 32

/** Encodes the JSON of the hashes of a block's transactions, packed. */
export const encodeHashes = (hashes: readonly Uint8Array[]): Buffer => {
  const row = Buffer.allocUnsafeSlow(2 + hashes.length * (2 + hashBytes))
  row[0] = packedHashes
  let at = 1
  for (const hash of hashes) {
    row[at] = at === 1 ? quote : comma
    row[at + 1] = hashToken
    row.set(hash, at + 2)
    at += 2 + hashBytes
  }
  row[at] = quote
  return row
}

/** Copies the JSON of so many hashes into the target. */
export const copyHashes = (row: Buffer, length: number, target: Uint8Array, at: number): void => {
  if (row[0] === packedHashes) unpackInto(row, 1, row.length, 1, length, target, at)
  else copyInto(row, 0, row.length, target, at)
}
