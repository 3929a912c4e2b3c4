import { describe, expect, it } from 'vitest'
import {
  blockReply,
  conversionContext,
  exampleChainInfo,
  resultsReply,
} from '../../../test/gateway/conversion/exampleBlocks.ts'
import { asBytes, nativeTx, newData } from '../../../test/gateway/conversion/messages.ts'
import { createCandidate } from '../../../test/support/signedCandidates.ts'
import { parseBlock } from '../../comet/data/parseBlock.ts'
import { parseResults } from '../../comet/data/parseResults.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { checkConsistency } from './consistency.ts'
import { convertBlock } from './convertBlock.ts'
import type { ConvertedBlock, ConvertedTransaction } from './convertedBlock.ts'

const log = { address: new Uint8Array(20).fill(1), topics: [], data: new Uint8Array(0) }
const candidates = [createCandidate(0, 0n), createCandidate(1, 0n)]
const sample = {
  transactions: candidates.map((candidate) => nativeTx(asBytes(candidate))),
  results: candidates.map(({ hash }) => ({
    data: newData([{ hash, gasUsed: 21_000n, logs: [log] }]),
    gasUsed: 21_000n,
  })),
}
const block: ConvertedBlock = convertBlock(
  parseBlock(blockReply(sample)),
  parseResults(resultsReply(sample)),
  conversionContext,
  exampleChainInfo,
)
const [first, second] = block.transactions as [ConvertedTransaction, ConvertedTransaction]
const [native] = block.native.transactions
if (native === undefined) throw new Error('the sample has no native transaction')

const withFirst = (fields: Partial<ConvertedTransaction>): ConvertedBlock => ({
  ...block,
  transactions: [{ ...first, ...fields }, second],
})
const withNative = (fields: Partial<typeof native>): ConvertedBlock => ({
  ...block,
  native: {
    ...block.native,
    transactions: [{ ...native, ...fields }, ...block.native.transactions.slice(1)],
  },
})
const withHeader = (fields: Partial<ConvertedBlock['header']>): ConvertedBlock => ({
  ...block,
  header: { ...block.header, ...fields },
})

const nothing = { transactions: [], results: [] }
const empty = convertBlock(
  parseBlock(blockReply(nothing)),
  parseResults(resultsReply(nothing)),
  conversionContext,
  exampleChainInfo,
)
/** An empty block with a native transaction that was executed. */
const lost: ConvertedBlock = {
  ...empty,
  native: { ...empty.native, transactions: [{ ...native, ethereumIndexes: [] }] },
}

describe('checkCoherence', () => {
  it('lets a whole block pass', () => {
    expect(() => checkConsistency(block)).not.toThrow()
  })

  it.each<[string, ConvertedBlock]>([
    ['it has the number', withHeader({ number: 8n })],
    ['its bloom', withHeader({ logsBloom: new Uint8Array(256) })],
    ['its transactions are not', withHeader({ transactionsRoot: new Uint8Array(32) })],
    ['its receipts are not', withHeader({ receiptsRoot: new Uint8Array(32) })],
    ['more gas than it', withHeader({ gasUsed: 41_999n })],
    ['its header could not be read again', withHeader({ baseFeePerGas: 1n << 256n })],
    ['its header could not be read again', withHeader({ gasLimit: 1n << 64n })],
    ['its header could not be read again', withHeader({ parentHash: new Uint8Array(31) })],
    ['its hash has 31 bytes', { ...block, hash: new Uint8Array(31) }],
    ['not the hash of its bytes', withFirst({ hash: second.hash })],
    ['the receipt of another type', withFirst({ receipt: { ...first.receipt, type: 0 } })],
    ['not that of its logs', withFirst({ receipt: { ...first.receipt, logs: [] } })],
    ['is negative', withFirst({ receipt: { ...first.receipt, cumulativeGasUsed: 99_000n } })],
    ['has no sender', withFirst({ sender: new Uint8Array(0) })],
    ['twice', { ...block, transactions: [first, first] }],
    ['where its native transaction says', withFirst({ location: second.location })],
    ['where its native transaction says', withNative({ hash: second.hash })],
    ['stands where 0 should', withNative({ ethereumIndexes: [1] })],
    ['transaction 1 is not where its native', { ...block, transactions: [first] }],
    ['1 transactions, 0 of them placed', { ...empty, transactions: [first] }],
    ['1 Ethereum messages and 0 receipts', lost],
  ])('rejects one with a fault: %s', (problem, broken) => {
    expect(() => checkConsistency(broken)).toThrow(UpstreamError)
    expect(() => checkConsistency(broken)).toThrow(problem)
  })
})
