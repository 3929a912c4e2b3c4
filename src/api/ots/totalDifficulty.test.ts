import { expect, test } from 'vitest'
import { firstBlock } from '../../../test/support/blocks.ts'
import { errorCodes } from '../../rpc/errors.ts'
import { totalDifficulty } from './totalDifficulty.ts'

const { signal } = new AbortController()

/** A chain on which proof of work ended at a height, with 2 as the difficulty of each block before and 5 as that of the first. */
const setUp = (lastOfWork: number) => {
  const { header } = firstBlock()
  const read: number[] = []
  let branch = 0
  const blocks = {
    header: (number: number) => {
      read.push(number)
      const difficulty = number === 0 ? 5n : number <= lastOfWork ? 2n + BigInt(branch) : 0n
      return { ...header, number: BigInt(number), difficulty }
    },
    hash: (number: number) => {
      const hash = Buffer.alloc(32)
      hash.writeUInt32LE(number)
      hash.writeUInt8(branch, 8)
      return hash
    },
  }
  const replace = (): void => {
    branch++
  }
  return { blocks, read, replace }
}

test('it ends where proof of work ended, and a chain of an engine has none', async () => {
  const { blocks } = setUp(10)
  expect(await totalDifficulty(blocks, 0, signal)).toBe(5n)
  expect(await totalDifficulty(blocks, 4, signal)).toBe(13n)
  expect(await totalDifficulty(blocks, 10, signal)).toBe(25n)
  expect(await totalDifficulty(blocks, 1000, signal)).toBe(25n)
  expect(await totalDifficulty(setUp(0).blocks, 1000, signal)).toBe(5n)
})

test('a sum goes on from one that is known', async () => {
  const { blocks, read } = setUp(1_000_000)
  expect(await totalDifficulty(blocks, 50_000, signal)).toBe(100_005n)
  read.splice(0)
  expect(await totalDifficulty(blocks, 50_000, signal)).toBe(100_005n)
  expect(await totalDifficulty(blocks, 50_001, signal)).toBe(100_007n)
  expect(read.length).toBeLessThan(10)
  expect(await totalDifficulty(blocks, 20_000, signal)).toBe(40_005n)
  expect(read.length).toBeLessThan(1100)
})

test('sums of blocks that were reverted are not used', async () => {
  const { blocks, replace } = setUp(1_000_000)
  expect(await totalDifficulty(blocks, 5000, signal)).toBe(10_005n)
  replace()
  expect(await totalDifficulty(blocks, 5000, signal)).toBe(15_005n)
})

test('a long walk lets others have their turn, and ends when nobody waits for it', async () => {
  const { blocks } = setUp(Number.POSITIVE_INFINITY)
  const client = new AbortController()
  setImmediate(() => client.abort())
  await expect(totalDifficulty(blocks, 2 ** 32 - 1, client.signal)).rejects.toMatchObject({
    code: errorCodes.unavailable,
  })
})

test('a long walk notices that its block was reverted', async () => {
  const { blocks, replace } = setUp(Number.POSITIVE_INFINITY)
  setImmediate(replace)
  await expect(totalDifficulty(blocks, 2 ** 32 - 1, signal)).rejects.toThrow('try again')
})
