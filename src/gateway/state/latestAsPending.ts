import type { BlockReader, PendingBlock } from '../../chain/port/blocks.ts'

/** Returns the newest block as the pending one, because a gateway builds no blocks. */
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
