import type { BlockReader, PendingBlock } from '../chain/port/blocks.ts'

/** Returns the newest block as the pending one, because a gateway builds no blocks. */
export const latestAsPending = (blocks: BlockReader, number: number): PendingBlock => {
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error(`block ${number} is not in the store`)
    return value
  }
  return {
    transactionCount: required(blocks.transactionCount(number)),
    blockJson: (isFull) => required(blocks.blockJson(number, isFull)),
    headerJson: () => required(blocks.headerJson(number)),
    transactionJson: (index) => blocks.transactionJson({ number, index }),
    transactionRlp: (index) => blocks.transactionRlp({ number, index }),
    receiptsJson: () => required(blocks.receiptsJson(number)),
  }
}
