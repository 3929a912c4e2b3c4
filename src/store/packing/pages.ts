import { allocate, copyInto, copySlice } from '../tables/peek.ts'
import { unpackAll, unpackEntry } from './unpack.ts'

/**
 * A page: adjacent entries after a table of their ends, so that one is found without reading the others.
 *
 *   count · start of the body · the end of each entry in the body · (logs: see below) · body
 *
 * Integers are 4 bytes, little-endian. Entries that are text are packed (see packing/), each after the length of its text,
 * and the highest bit of the count is set; in pages that were written before schema 5 they are plain, with a comma between
 * them. A page of receipts also has the position of each log: the index of its first log in the block, their number, and
 * start and end of each in the body. Logs are never packed: a search compares and copies them where they stand.
 */

/** The entries of a page; a power of two. */
export const pageSize = 32

export const pageIndex = (index: number): number => Math.floor(index / pageSize)

export const pageCount = (entries: number): number => Math.ceil(entries / pageSize)

export interface Span {
  readonly start: number
  readonly end: number
}

/** The text of an entry, and the spans of the logs in it. */
export interface TextEntry {
  readonly text: string
  readonly logs: readonly Span[]
}

const tableStart = 8

const writeEnds = (page: Buffer, bodyStart: number, lengths: readonly number[], separator: number): void => {
  page.writeUInt32LE(lengths.length, 0)
  page.writeUInt32LE(bodyStart, 4)
  let end = 0
  for (const [index, length] of lengths.entries()) {
    end += length + (index > 0 ? separator : 0)
    page.writeUInt32LE(end, tableStart + index * 4)
  }
}

const bodyLengthOf = (lengths: readonly number[], separator: number): number =>
  lengths.reduce((sum, length) => sum + length, Math.max(0, lengths.length - 1) * separator)

export const encodeBytesPage = (entries: readonly Uint8Array[]): Buffer => {
  const lengths = entries.map(({ length }) => length)
  const bodyStart = tableStart + 4 * entries.length
  const page = Buffer.allocUnsafeSlow(bodyStart + bodyLengthOf(lengths, 0))
  writeEnds(page, bodyStart, lengths, 0)
  let at = bodyStart
  for (const entry of entries) {
    page.set(entry, at)
    at += entry.length
  }
  return page
}

const packedFlag = 0x8000_0000

/** Whether the texts of a page are packed; before schema 5 they were not. */
export const isPacked = (page: Buffer): boolean => ((page[3] as number) & 0x80) !== 0

/** The number of entries of a page. */
export const entryCount = (page: Buffer): number => page.readUInt32LE(0) & ~packedFlag

const bodyStart = (page: Buffer): number => page.readUInt32LE(4)

/** Returns the span of an entry in the page; undefined if the page has no such entry. */
export const entrySpan = (page: Buffer, entry: number, separator: 0 | 1): Span | undefined => {
  if (entry >= entryCount(page)) return undefined
  const body = bodyStart(page)
  const end = body + page.readUInt32LE(tableStart + entry * 4)
  const start = entry === 0 ? body : body + page.readUInt32LE(tableStart + (entry - 1) * 4) + separator
  return { start, end }
}

/** Returns a copy of an entry that is text; undefined if the page has no such entry. */
export const textEntry = (page: Buffer, entry: number): Uint8Array | undefined => {
  if (!isPacked(page)) {
    const span = entrySpan(page, entry, 1)
    return span && copySlice(page, span.start, span.end)
  }
  const span = entrySpan(page, entry, 0)
  if (span === undefined) return undefined
  return unpackEntry(page, span.start, span.end, bodyStart(page), allocate)
}

/** Copies all entries of a page of text with commas between them, and returns where they end in the target. */
export const copyTexts = (page: Buffer, target: Uint8Array, to: number): number => {
  const body = bodyStart(page)
  if (!isPacked(page)) {
    copyInto(page, body, page.length, target, to)
    return to + page.length - body
  }
  return unpackAll(page, tableStart, entryCount(page), body, target, to)
}

/**
 * Returns the span of a log in a page of receipts, by its index in the block; undefined if it is not in the
 * page.
 */
export const logSpan = (page: Buffer, logIndex: number): Span | undefined => {
  const logsAt = tableStart + 4 * entryCount(page)
  const log = logIndex - page.readUInt32LE(logsAt)
  if (log < 0 || log >= page.readUInt32LE(logsAt + 4)) return undefined
  const body = bodyStart(page)
  const at = logsAt + 8 + 8 * log
  return { start: body + page.readUInt32LE(at), end: body + page.readUInt32LE(at + 4) }
}

/**
 * Returns the offsets of the body and of the page's log table, which holds start and end of each log relative
 * to the body.
 */
export const logTable = (
  page: Buffer,
): { readonly body: number; readonly count: number; readonly table: number } => {
  const logsAt = tableStart + 4 * entryCount(page)
  return { body: bodyStart(page), count: page.readUInt32LE(logsAt + 4), table: logsAt + 8 }
}
