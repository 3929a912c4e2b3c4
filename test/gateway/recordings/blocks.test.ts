import { describe, expect, it } from 'vitest'
import { convertedAt, heights, recorded, served } from './recordings.ts'

type Json = Readonly<Record<string, unknown>>

/** The recorded server leaves it out of transactions; execution-apis has it. */
const withoutTime = ({ blockTimestamp: _, ...transaction }: Json): Json => transaction

describe('recorded blocks', () => {
  it.each(heights)('block %i is served as its own node serves it', (height) => {
    const block = served(convertedAt(height))
    const { transactions, ...frame } = recorded(`eth/block-${height}-full.json`)
    expect({ ...block.full, transactions: [] }).toEqual({ ...frame, transactions: [] })
    expect(block.full.transactions.map(withoutTime)).toEqual(transactions)
    expect(block.full.transactions).toEqual(block.transactions)
    for (const { blockTimestamp } of block.transactions) expect(blockTimestamp).toBe(frame.timestamp)
  })

  it.each(heights)('block %i with hashes', (height) => {
    expect(served(convertedAt(height)).hashes).toEqual(recorded(`eth/block-${height}-hashes.json`))
  })

  it.each(heights)('the receipts of block %i', (height) => {
    expect(served(convertedAt(height)).receipts).toEqual(recorded(`eth/receipts-${height}.json`))
  })
})
