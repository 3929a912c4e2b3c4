import { expect, test } from 'vitest'
import { firstBlock } from '../../test/support/blocks.ts'
import { BlockTips } from './blockTips.ts'

/** The tips of blocks with this many transactions each, and the blocks whose receipts were read. */
const setUp = (transactions: number, cachedTips?: number) => {
  const { header, hash } = firstBlock()
  const receipt = JSON.stringify({ gasUsed: '0x5208', effectiveGasPrice: '0x7' })
  const text = Buffer.from(`[${Array.from({ length: transactions }, () => receipt).join(',')}]`)
  const read: number[] = []
  const blocks = {
    header: () => header,
    blockHashAt: () => hash,
    receiptsJson: (number: number) => {
      read.push(number)
      return text
    },
  }
  const tips = new BlockTips(blocks, cachedTips)
  return { tips, read }
}

test('tips are kept up to a number of them, however many blocks have them', () => {
  const { tips, read } = setUp(100, 2500)
  for (let number = 0; number < 30; number++) tips.tipsOfBlock(number)
  read.splice(0)
  for (let number = 29; number >= 0; number--) tips.tipsOfBlock(number)
  // The newest blocks were kept, and the oldest were not.
  expect(read[0]).toBe(5)
  expect(read.at(-1)).toBe(0)
})

test('a long fee history of blocks with few transactions is kept as a whole', () => {
  const { tips, read } = setUp(1)
  for (let number = 0; number < 3000; number++) tips.tipsOfBlock(number)
  read.splice(0)
  for (let number = 0; number < 3000; number++) tips.tipsOfBlock(number)
  expect(read).toEqual([])
})
