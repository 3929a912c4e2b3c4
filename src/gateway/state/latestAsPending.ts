import type { BlockReader, PendingBlock } from '../../chain/port/blocks.ts'

/** Nothing is built by a gateway: where the next block is asked for, the newest one stands in for it. */
export const latestAsPending = (blocks: BlockReader, number: number): PendingBlock => {
  const kept = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error(`block ${number} is not in the store`)
    return value
  }
  return {
    transactionCount: kept(blocks.transactionCount(number)),
    blockJson: (isFull) => kept(blocks.blockJson(number, isFull)),
    headerJson: () => kept(blocks.headerJson(number)),
    transactionJson: (index) => blocks.transactionJson({ number, index }),
    transactionRlp: (index) => blocks.transactionRlp({ number, index }),
    receiptsJson: () => kept(blocks.receiptsJson(number)),
  }
}
