import { expect, test } from 'vitest'
import { announcePruning } from './announcePruning.ts'

const saidOf = (oldest: number | undefined, retained: number | undefined): readonly string[] => {
  const said: string[] = []
  const history = { what: 'states', setting: 'pruning = everything', oldest, head: 1000, retained }
  announcePruning(history, { warn: (_: unknown, text?: string) => void said.push(String(text)) } as never) // what it uses
  return said
}

test('a setting that keeps less than the home has is reported, with the blocks', () => {
  expect(saidOf(0, 10)).toEqual([
    expect.stringContaining('pruning = everything removes the states of blocks 0 to 990'),
  ])
})

test('a home that keeps what it should, or has nothing, gets no message', () => {
  for (const [oldest, retained] of [
    [991, 10],
    [980, 10],
    [0, undefined],
    [undefined, 10],
    [0, 5000],
  ] as const)
    expect(saidOf(oldest, retained)).toEqual([])
})
