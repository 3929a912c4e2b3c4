import { expect, test } from 'vitest'
import { PieceLoader, pieceSize, type Step, type Steps } from './steps.ts'

interface Asked {
  readonly from: number
  readonly count: number
  readonly signal: AbortSignal
}

/** A node with a transaction of so many steps, which gives at most `limit` at a time. */
const createNode = (total: number, limit = pieceSize) => {
  const asked: Asked[] = []
  const loader = new PieceLoader(async (_hash, from, count, signal) => {
    asked.push({ from, count, signal })
    await new Promise((resolve) => setTimeout(resolve))
    signal.throwIfAborted()
    const length = Math.max(0, Math.min(count, limit, total - from))
    const steps = Array.from({ length }, (_, index) => ({ step: from + index }) as Step)
    return { steps, total, failed: false, marks: [] }
  })
  return { asked, loader }
}

const numbers = ({ steps }: Steps): readonly number[] => steps.map(({ step }) => step)

test('the request before is aborted, and its piece is requested again when it is wanted', async () => {
  const { asked, loader } = createNode(1000)
  const first = loader.load('0x1', 0)
  const second = loader.load('0x1', 1)
  const third = loader.load('0x1', 0)
  await expect(first).rejects.toThrow()
  await expect(second).rejects.toThrow()
  expect(numbers(await third)).toHaveLength(pieceSize)
  expect(asked.map(({ from, signal }) => [from, signal.aborted])).toEqual([
    [0, true],
    [pieceSize, true],
    [0, false],
  ])
})

test('a piece that was read, or still loads, is not requested twice', async () => {
  const { asked, loader } = createNode(1000)
  await Promise.all([loader.load('0x1', 2), loader.load('0x1', 2)])
  await loader.load('0x1', 3)
  await loader.load('0x1', 2)
  expect(asked.map(({ from }) => from)).toEqual([2 * pieceSize, 3 * pieceSize])
})

test('a piece that the node ended early is completed', async () => {
  const { asked, loader } = createNode(pieceSize + 70, 50)
  expect(numbers(await loader.load('0x1', 0))).toEqual(Array.from({ length: pieceSize }, (_, index) => index))
  expect(asked.map(({ from, count }) => [from, count])).toEqual([
    [0, 128],
    [50, 78],
    [100, 28],
  ])
  expect(numbers(await loader.load('0x1', 1))).toHaveLength(70)
  expect(numbers(await loader.load('0x1', 2))).toEqual([])
})
