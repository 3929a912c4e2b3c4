import { closeBrace, closeBracket, comma, openBrace, openBracket } from '../base/json/jsonCodes.ts'
import { StrictJsonScanner } from '../base/json/jsonScanner.ts'

// Texts are scanned as latin1, in which a letter is a byte: what is found is copied from the bytes.

/** Where the members of an object are in its text; `start` to `headEnd` and `tailStart` to `end` are those to copy. */
export interface RecordSpan {
  readonly start: number
  readonly headEnd: number
  readonly tailStart: number
  readonly end: number
  /** Whether it says the time of its block. */
  readonly isTimed: boolean
}

export interface ValueSpan {
  readonly start: number
  readonly end: number
}

export interface BlockSpans {
  readonly block: RecordSpan
  readonly transactions: readonly RecordSpan[]
  /** The values of the members that the feed itself needs. */
  readonly values: ReadonlyMap<BlockMember, ValueSpan>
}

export interface ReceiptSpans {
  readonly receipts: readonly RecordSpan[]
  readonly logs: readonly RecordSpan[]
}

export interface TraceSpans {
  readonly transactionHash: ValueSpan | undefined
  readonly result: ValueSpan | undefined
}

const blockMembers = ['number', 'hash', 'parentHash', 'timestamp'] as const
export type BlockMember = (typeof blockMembers)[number]

const timeName = 'blockTimestamp'
const transactionsName = 'transactions'
const logsName = 'logs'
const hashName = 'txHash'
const resultName = 'result'

/** Finds the records in the text of a block with its transactions. */
export const findInBlock = (text: Buffer): BlockSpans => {
  const scanner = new StrictJsonScanner(text.toString('latin1'))
  let transactions: readonly RecordSpan[] = []
  const values = new Map<BlockMember, ValueSpan>()
  const block = readRecord(
    scanner,
    transactionsName,
    () => {
      transactions = readList(scanner, () => readRecord(scanner))
    },
    () => {
      const name = blockMembers.find((member) => scanner.keyIs(member))
      const start = scanner.at
      scanner.skipValue()
      if (name !== undefined) values.set(name, { start, end: scanner.at })
    },
  )
  scanner.finish()
  return { block, transactions, values }
}

/** Finds the records in the text of a list of receipts. */
export const findInReceipts = (text: Buffer): ReceiptSpans => {
  const scanner = new StrictJsonScanner(text.toString('latin1'))
  const logs: RecordSpan[] = []
  const readLogs = (): void => {
    for (const log of readList(scanner, () => readRecord(scanner))) logs.push(log)
  }
  const receipts = readList(scanner, () => readRecord(scanner, logsName, readLogs))
  scanner.finish()
  return { receipts, logs }
}

/** Finds what `callTracer` says of each transaction in the text of a traced block. */
export const findInTraces = (text: Buffer): readonly TraceSpans[] => {
  const scanner = new StrictJsonScanner(text.toString('latin1'))
  const traces = readList(scanner, (): TraceSpans => {
    let transactionHash: ValueSpan | undefined
    let result: ValueSpan | undefined
    if (scanner.enter(openBrace))
      do {
        scanner.readKey()
        const [isHash, isResult] = [scanner.keyIs(hashName), scanner.keyIs(resultName)]
        const start = scanner.at
        scanner.skipValue()
        if (isHash) transactionHash = { start, end: scanner.at }
        if (isResult) result = { start, end: scanner.at }
      } while (scanner.next(closeBrace))
    return { transactionHash, result }
  })
  scanner.finish()
  return traces
}

const readList = <T>(scanner: StrictJsonScanner, read: () => T): readonly T[] => {
  const list: T[] = []
  if (scanner.enter(openBracket))
    do list.push(read())
    while (scanner.next(closeBracket))
  return list
}

/** Reads an object. The member `cut` is not to be copied and read by `readCut`; `readValue` reads all others. */
const readRecord = (
  scanner: StrictJsonScanner,
  cut = '',
  readCut?: () => void,
  readValue?: () => void,
): RecordSpan => {
  const start = scanner.at + 1
  let headEnd: number | undefined
  let tailStart: number | undefined
  let isTimed = false
  if (scanner.enter(openBrace))
    do {
      scanner.readKey()
      if (readCut !== undefined && scanner.keyIs(cut)) {
        // Without the comma before it, and the one behind.
        headEnd = Math.max(start, scanner.keyStart - 1)
        readCut()
        tailStart = scanner.text.charCodeAt(scanner.at) === comma ? scanner.at + 1 : scanner.at
        continue
      }
      if (scanner.keyIs(timeName)) isTimed = true
      if (readValue === undefined) scanner.skipValue()
      else readValue()
    } while (scanner.next(closeBrace))
  const end = scanner.at - 1
  return { start, headEnd: headEnd ?? end, tailStart: tailStart ?? end, end, isTimed }
}
