import { expect, test } from 'vitest'
import { maxResponseBytes, readBounded } from './boundedResponse.ts'

const textOf = (size: number, pieces: readonly string[]) => {
  let isGone = false
  return {
    text: {
      size,
      bytes: undefined,
      read: async function* () {
        for (const piece of pieces) yield Buffer.from(piece)
      },
      dispose: () => {
        isGone = true
      },
    },
    isGone: () => isGone,
  }
}

test('a long text is put together and let go of', async () => {
  const { text, isGone } = textOf(6, ['[1,', '2]'])
  expect(Buffer.from(await readBounded(text)).toString()).toBe('[1,2]')
  expect(isGone()).toBe(true)
})

test('one that is too long is rejected, and let go of too', async () => {
  const { text, isGone } = textOf(maxResponseBytes + 1, ['['])
  await expect(readBounded(text)).rejects.toMatchObject({ kind: 'limit exceeded' })
  expect(isGone()).toBe(true)
})
