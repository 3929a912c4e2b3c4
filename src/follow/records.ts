import type { BlockBatch, BlockFacts, BlockTexts } from './blockBatch.ts'
import { LineWriter } from './lineWriter.ts'
import {
  type BlockMember,
  findInBlock,
  findInReceipts,
  findInTraces,
  type RecordSpan,
  type ValueSpan,
} from './recordSpans.ts'

/** The kinds of records, in the order in which those of a block are written. */
export const recordKinds = ['block', 'transaction', 'receipt', 'log', 'trace'] as const
export type RecordKind = (typeof recordKinds)[number]

/** The lines of some blocks, by their kind. */
export type RecordLines = Readonly<Record<RecordKind, LineWriter>>

export const createRecordLines = (): RecordLines => ({
  block: new LineWriter(),
  transaction: new LineWriter(),
  receipt: new LineWriter(),
  log: new LineWriter(),
  trace: new LineWriter(),
})

/** Blocks as lines of JSON. */
export class LineBatch implements BlockBatch {
  readonly lines = createRecordLines()

  add(texts: BlockTexts): BlockFacts {
    return addRecords(texts, this.lines)
  }
}

/**
 * Adds the records of a block, as lines of JSON: what the node answers, with the lists inside of a block and of a receipt
 * as records of their own. docs/feed.md is the schema. The text of the node is copied: values made of it would be most of
 * the work.
 */
export const addRecords = (texts: BlockTexts, lines: RecordLines): BlockFacts => {
  try {
    return copyRecords(texts, lines)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // From a node that writes blanks between values; invalid JSON ends here.
    const { block, receipts, traces } = texts
    return copyRecords(
      {
        block: toCompact(block),
        receipts: receipts && toCompact(receipts),
        traces: traces && toCompact(traces),
      },
      lines,
    )
  }
}

const nothing = Buffer.from('[]')

const toCompact = (json: Buffer): Buffer => Buffer.from(JSON.stringify(JSON.parse(json.toString())))

/** Nothing is written before all is found, so that a text that is rejected leaves no part of a block. */
const copyRecords = (texts: BlockTexts, lines: RecordLines): BlockFacts => {
  const { block, transactions, values } = findInBlock(texts.block)
  const { receipts = nothing } = texts
  const { receipts: found, logs } = findInReceipts(receipts)
  const traces = texts.traces === undefined ? [] : findInTraces(texts.traces)
  const textOf = (name: BlockMember): string => {
    const span = values.get(name)
    if (span === undefined) throw new Error(`a block of the node has no ${name}`)
    return texts.block.toString('latin1', span.start, span.end)
  }
  const facts = { hash: readText(textOf('hash')), parentHash: readText(textOf('parentHash')) }
  const time = `,"blockTimestamp":${textOf('timestamp')}`
  const place = `"blockNumber":${textOf('number')},"blockHash":${textOf('hash')}${time}`
  const count = transactions.length

  addLine(lines.block, 'block', texts.block, block, `,"transactionCount":"0x${count.toString(16)}"`)
  for (const span of transactions) addTimed(lines.transaction, 'transaction', texts.block, span, time)
  for (const span of found) addTimed(lines.receipt, 'receipt', receipts, span, time)
  for (const span of logs) addTimed(lines.log, 'log', receipts, span, time)
  for (const [index, { transactionHash, result }] of traces.entries()) {
    const text = texts.traces as Buffer // it is where they were found
    lines.trace.ascii(`{"record":"trace",${place}`)
    addMember(lines.trace, 'transactionHash', text, transactionHash)
    lines.trace.ascii(`,"transactionIndex":"0x${index.toString(16)}"`)
    addMember(lines.trace, 'trace', text, result)
    lines.trace.ascii('}\n')
  }
  for (const kind of recordKinds) lines[kind].endBlock()
  return { ...facts, transactions: count }
}

const readText = (json: string): string => {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'string') throw new Error(`a block of the node has ${json} for a hash`)
  return value
}

/** Adds an object as a line. It is named `record`, because transactions and receipts have a `type` of their own. */
const addLine = (
  lines: LineWriter,
  record: RecordKind,
  text: Buffer,
  { start, headEnd, tailStart, end }: RecordSpan,
  added: string,
): void => {
  const hasHead = headEnd > start
  lines.ascii(hasHead ? `{"record":"${record}",` : `{"record":"${record}"`)
  if (hasHead) lines.copy(text, start, headEnd)
  if (end > tailStart) {
    lines.ascii(',')
    lines.copy(text, tailStart, end)
  }
  lines.ascii(`${added}}\n`)
}

/** As `addLine`, with the time of its block where the node does not say it. */
const addTimed = (
  lines: LineWriter,
  record: RecordKind,
  text: Buffer,
  span: RecordSpan,
  time: string,
): void => addLine(lines, record, text, span, span.isTimed ? '' : time)

const addMember = (lines: LineWriter, name: string, text: Buffer, value: ValueSpan | undefined): void => {
  if (value === undefined) return
  lines.ascii(`,"${name}":`)
  lines.copy(text, value.start, value.end)
}
