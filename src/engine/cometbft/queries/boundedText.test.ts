import { expect, test } from 'vitest'
import { boundedText, maxAnswerBytes } from './boundedText.ts'

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
  expect(Buffer.from(await boundedText(text)).toString()).toBe('[1,2]')
  expect(isGone()).toBe(true)
})

test('one that is too long is refused, and let go of too', async () => {
  const { text, isGone } = textOf(maxAnswerBytes + 1, ['['])
  await expect(boundedText(text)).rejects.toMatchObject({ kind: 'limit exceeded' })
  expect(isGone()).toBe(true)
})
