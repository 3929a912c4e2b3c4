import { TextPacker } from '../../src/store/packing/pack.ts'
import type { Span, TextEntry } from '../../src/store/packing/pages.ts'

/** Pages that are made of texts, as readers understand them: what the store writes must be the same. */

const tableStart = 8
const packedFlag = 0x8000_0000

/** Each text has its length before it, and logs are a text between two others. */
const createPacker = (texts: readonly string[]): TextPacker => {
  let longest = 0
  let total = 0
  for (const { length } of texts) {
    longest = Math.max(longest, length)
    total += length
  }
  return new TextPacker(longest, total, 4 * texts.length)
}

/** Encodes a page of texts. */
export const encodeTextPage = (texts: readonly string[]): Buffer => {
  const packer = createPacker(texts)
  const ends = texts.map((text) => {
    packer.addNumber(text.length)
    packer.add(text)
    return packer.length
  })
  return assemble(ends, undefined, packer)
}

/** Encodes a page of receipts; `firstLog` is the number of logs of the block before this page. */
export const encodeReceiptPage = (entries: readonly TextEntry[], firstLog: number): Buffer => {
  const packer = createPacker(entries.map(({ text }) => text))
  const spans: Span[] = []
  const ends = entries.map(({ text, logs }) => {
    packer.addNumber(text.length)
    const [first] = logs
    const last = logs.at(-1)
    if (first === undefined || last === undefined) packer.add(text)
    else {
      packer.add(text.slice(0, first.start))
      const moved = packer.addLiteral(text.slice(first.start, last.end)) - first.start
      for (const { start, end } of logs) spans.push({ start: start + moved, end: end + moved })
      packer.add(text.slice(last.end))
    }
    return packer.length
  })
  return assemble(ends, { firstLog, spans }, packer)
}

interface LogSpans {
  readonly firstLog: number
  readonly spans: readonly Span[]
}

const assemble = (ends: readonly number[], logs: LogSpans | undefined, packer: TextPacker): Buffer => {
  const logsAt = tableStart + 4 * ends.length
  const start = logs === undefined ? logsAt : logsAt + 8 + 8 * logs.spans.length
  const page = Buffer.allocUnsafeSlow(start + packer.length)
  page.writeUInt32LE((ends.length | packedFlag) >>> 0, 0)
  page.writeUInt32LE(start, 4)
  for (const [index, end] of ends.entries()) page.writeUInt32LE(end, tableStart + 4 * index)
  if (logs !== undefined) {
    page.writeUInt32LE(logs.firstLog, logsAt)
    page.writeUInt32LE(logs.spans.length, logsAt + 4)
    for (const [index, span] of logs.spans.entries()) {
      page.writeUInt32LE(span.start, logsAt + 8 + 8 * index)
      page.writeUInt32LE(span.end, logsAt + 12 + 8 * index)
    }
  }
  packer.copyTo(page, start)
  return page
}
