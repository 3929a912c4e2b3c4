import { closeBrace, closeBracket, comma, openBrace, openBracket } from '../base/json/jsonCodes.ts'
import { JsonWalker } from './jsonWalker.ts'

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

const blockNames = blockMembers.map((name) => [name, Buffer.from(name)] as const)
const timeName = Buffer.from('blockTimestamp')
const transactionsName = Buffer.from('transactions')
const logsName = Buffer.from('logs')
const hashName = Buffer.from('txHash')
const resultName = Buffer.from('result')

const none = Buffer.alloc(0)

/** Finds the records in the text of a block with its transactions. */
export const findInBlock = (text: Buffer): BlockSpans => {
  const walker = new JsonWalker(text)
  let transactions: readonly RecordSpan[] = []
  const values = new Map<BlockMember, ValueSpan>()
  const block = readRecord(
    walker,
    transactionsName,
    () => {
      transactions = readList(walker, () => readRecord(walker))
    },
    () => {
      const name = blockNames.find(([, bytes]) => walker.keyIs(bytes))?.[0]
      const start = walker.at
      walker.skipValue()
      if (name !== undefined) values.set(name, { start, end: walker.at })
    },
  )
  walker.finish()
  return { block, transactions, values }
}

/** Finds the records in the text of a list of receipts. */
export const findInReceipts = (text: Buffer): ReceiptSpans => {
  const walker = new JsonWalker(text)
  const logs: RecordSpan[] = []
  const readLogs = (): void => {
    for (const log of readList(walker, () => readRecord(walker))) logs.push(log)
  }
  const receipts = readList(walker, () => readRecord(walker, logsName, readLogs))
  walker.finish()
  return { receipts, logs }
}

/** Finds what `callTracer` says of each transaction in the text of a traced block. */
export const findInTraces = (text: Buffer): readonly TraceSpans[] => {
  const walker = new JsonWalker(text)
  const traces = readList(walker, (): TraceSpans => {
    let transactionHash: ValueSpan | undefined
    let result: ValueSpan | undefined
    if (walker.enter(openBrace))
      do {
        walker.key()
        const [isHash, isResult] = [walker.keyIs(hashName), walker.keyIs(resultName)]
        const start = walker.at
        walker.skipValue()
        if (isHash) transactionHash = { start, end: walker.at }
        if (isResult) result = { start, end: walker.at }
      } while (walker.next(closeBrace))
    return { transactionHash, result }
  })
  walker.finish()
  return traces
}

const readList = <T>(walker: JsonWalker, read: () => T): readonly T[] => {
  const list: T[] = []
  if (walker.enter(openBracket))
    do list.push(read())
    while (walker.next(closeBracket))
  return list
}

/** Reads an object. The member `cut` is not to be copied and read by `readCut`; `readValue` reads all others. */
const readRecord = (
  walker: JsonWalker,
  cut: Uint8Array = none,
  readCut?: () => void,
  readValue?: () => void,
): RecordSpan => {
  const start = walker.at + 1
  let headEnd: number | undefined
  let tailStart: number | undefined
  let isTimed = false
  if (walker.enter(openBrace))
    do {
      walker.key()
      if (readCut !== undefined && walker.keyIs(cut)) {
        // Without the comma before it, and the one behind.
        headEnd = Math.max(start, walker.keyStart - 1)
        readCut()
        tailStart = walker.bytes[walker.at] === comma ? walker.at + 1 : walker.at
        continue
      }
      if (walker.keyIs(timeName)) isTimed = true
      if (readValue === undefined) walker.skipValue()
      else readValue()
    } while (walker.next(closeBrace))
  const end = walker.at - 1
  return { start, headEnd: headEnd ?? end, tailStart: tailStart ?? end, end, isTimed }
}
