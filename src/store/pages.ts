/**
 * A page: adjacent entries after a table of their ends, so that one is found without reading the others
 * and all are copied at once.
 *
 *   count · start of the body · the end of each entry in the body · (logs: see below) · body
 *
 * Integers are 4 bytes, little-endian. Text entries are separated by a comma, so that a body is the content of a JSON
 * array. A page of receipts also has the position of each log: the index of its first log in the block, their
 * number, and start and end of each in the body.
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

const writeTexts = (page: Buffer, bodyStart: number, texts: readonly string[]): void => {
  let at = bodyStart
  for (const [index, text] of texts.entries()) {
    if (index > 0) page[at++] = 0x2c
    at += page.write(text, at, 'latin1')
  }
}

export const encodeTextPage = (texts: readonly string[]): Buffer => {
  const lengths = texts.map(({ length }) => length)
  const bodyStart = tableStart + 4 * texts.length
  const page = Buffer.allocUnsafeSlow(bodyStart + bodyLengthOf(lengths, 1))
  writeEnds(page, bodyStart, lengths, 1)
  writeTexts(page, bodyStart, texts)
  return page
}

/** Encodes a page of receipts; `firstLog` is the number of logs of the block before this page. */
export const encodeReceiptPage = (entries: readonly TextEntry[], firstLog: number): Buffer => {
  const texts = entries.map(({ text }) => text)
  const lengths = texts.map(({ length }) => length)
  const logCount = entries.reduce((sum, { logs }) => sum + logs.length, 0)
  const logsAt = tableStart + 4 * entries.length
  const bodyStart = logsAt + 8 + 8 * logCount
  const page = Buffer.allocUnsafeSlow(bodyStart + bodyLengthOf(lengths, 1))
  writeEnds(page, bodyStart, lengths, 1)
  page.writeUInt32LE(firstLog, logsAt)
  page.writeUInt32LE(logCount, logsAt + 4)
  let at = logsAt + 8
  let offset = 0
  for (const { text, logs } of entries) {
    for (const { start, end } of logs) {
      page.writeUInt32LE(offset + start, at)
      page.writeUInt32LE(offset + end, at + 4)
      at += 8
    }
    offset += text.length + 1
  }
  writeTexts(page, bodyStart, texts)
  return page
}

const entryCount = (page: Buffer): number => page.readUInt32LE(0)

export const bodyStart = (page: Buffer): number => page.readUInt32LE(4)

/** Returns the span of an entry in the page; undefined if the page has no such entry. */
export const entrySpan = (page: Buffer, entry: number, separator: 0 | 1): Span | undefined => {
  if (entry >= entryCount(page)) return undefined
  const body = bodyStart(page)
  const end = body + page.readUInt32LE(tableStart + entry * 4)
  const start = entry === 0 ? body : body + page.readUInt32LE(tableStart + (entry - 1) * 4) + separator
  return { start, end }
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
