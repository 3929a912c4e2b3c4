import { expect, test } from 'vitest'
import { BatchResponse, joinShortParts, PiecedResponse } from './batchResponse.ts'

const textOf = (response: ReturnType<BatchResponse['finish']>): string =>
  String(response instanceof PiecedResponse ? response.join() : response)

test('notifications alone have no response', () => {
  const batch = new BatchResponse()
  batch.add([], 0)
  expect(batch.finish()).toBeUndefined()
})

test('short responses are one text, long ones are pieces of which none is much longer than its responses', () => {
  const short = new BatchResponse()
  short.add(['1'], 1)
  short.add([], 0)
  short.add(['2', Buffer.from('3')], 2)
  expect(textOf(short.finish())).toBe('[1,23]')
  const long = new BatchResponse()
  const responses = Array.from({ length: 20 }, (_, index) => `"${String(index).repeat(10_000)}"`)
  for (const response of responses) long.add([response], response.length)
  const finished = long.finish()
  expect(finished).toBeInstanceOf(PiecedResponse)
  const { pieces, size } = finished as PiecedResponse
  expect(pieces.length).toBeGreaterThan(1)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000)
  expect(textOf(finished)).toBe(`[${responses.join()}]`)
  expect(size).toBe(textOf(finished).length)
})

test('a long part is written where it stands, and what is around it together', () => {
  const long = Buffer.alloc(40_000, 'x')
  const joined = joinShortParts(['a', Buffer.from('b'), long, 'c', long]) as PiecedResponse
  expect(joined.pieces.map(({ length }) => length)).toEqual([2, 40_000, 1, 40_000])
  expect(joined.pieces[1]).toBe(long)
  expect(String(joined.join())).toBe(`ab${long}c${long}`)
  expect(String(joinShortParts(['a', Buffer.from('b')]))).toBe('ab')
  expect(joinShortParts([])).toBeUndefined()
})
