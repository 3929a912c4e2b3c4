import type { BlockFacts, BlockTexts } from '../blockBatch.ts'
import type { Json, RowSink, Sinks } from './column.ts'
import { blocks, calls, logs, receipts, transactions } from './tables.ts'

type Members = Record<string, unknown>

interface Frame extends Members {
  readonly calls?: readonly Frame[]
}

interface Place {
  readonly blockNumber: unknown
  readonly blockTimestamp: unknown
}

const textOf = (json: Json, name: string): string => {
  const value = json[name]
  if (typeof value !== 'string') throw new Error(`a block of the node has no ${name}`)
  return value
}

const listOf = (value: unknown, name: string): readonly Members[] => {
  if (!Array.isArray(value)) throw new Error(`the node answers no list of ${name}`)
  return value
}

/** Adds the rows of a log to further tables. */
export type AddLog = (log: Json, topics: readonly unknown[], sinks: Sinks) => void

/** Adds the rows of a block. Each record is what the node answers, with what its table has beside that. */
export const addRows = (texts: BlockTexts, sinks: Sinks, addLog?: AddLog): BlockFacts => {
  const block = JSON.parse(texts.block.toString()) as Members
  const facts = { hash: textOf(block, 'hash'), parentHash: textOf(block, 'parentHash') }
  const place: Place = { blockNumber: textOf(block, 'number'), blockTimestamp: textOf(block, 'timestamp') }
  const listed = listOf(block.transactions, 'transactions')
  block.transactionCount = listed.length
  sinks(blocks)?.add(block)
  const ofTransactions = sinks(transactions)
  if (ofTransactions !== undefined)
    for (const transaction of listed) {
      transaction.blockTimestamp = place.blockTimestamp
      ofTransactions.add(transaction)
    }
  if (texts.receipts !== undefined)
    addReceipts(listOf(JSON.parse(texts.receipts.toString()), 'receipts'), place, sinks, addLog)
  const ofCalls = sinks(calls)
  if (ofCalls !== undefined && texts.traces !== undefined)
    addTraces(listOf(JSON.parse(texts.traces.toString()), 'traces'), place, ofCalls)
  return { ...facts, transactions: listed.length }
}

const addReceipts = (
  listed: readonly Members[],
  place: Place,
  sinks: Sinks,
  addLog: AddLog | undefined,
): void => {
  const [ofReceipts, ofLogs] = [sinks(receipts), sinks(logs)]
  for (const receipt of listed) {
    receipt.blockTimestamp = place.blockTimestamp
    ofReceipts?.add(receipt)
    if (ofLogs === undefined && addLog === undefined) continue
    for (const log of listOf(receipt.logs, 'logs')) {
      const topics = listOf(log.topics, 'topics')
      log.blockTimestamp = place.blockTimestamp
      log.topic0 = topics[0]
      log.topic1 = topics[1]
      log.topic2 = topics[2]
      log.topic3 = topics[3]
      ofLogs?.add(log)
      addLog?.(log, topics, sinks)
    }
  }
}

const addTraces = (listed: readonly Members[], place: Place, sink: RowSink): void => {
  for (const [transactionIndex, { txHash, result, error }] of listed.entries()) {
    const common = { ...place, transactionIndex, transactionHash: txHash }
    // A trace that took too long takes too long each time: the row says so, and the rest goes on.
    const frame = (result ?? { error: `not traced: ${error}` }) as Frame
    addFrame(frame, [], common, sink)
  }
}

/** Adds a frame and those that it called: as deep as the EVM nests, which is 1,024. */
const addFrame = (frame: Frame, traceAddress: readonly number[], common: Json, sink: RowSink): void => {
  const { calls: inner = [], ...members } = frame
  sink.add({ ...members, ...common, traceAddress, subcalls: inner.length })
  for (const [index, call] of inner.entries()) addFrame(call, [...traceAddress, index], common, sink)
}
