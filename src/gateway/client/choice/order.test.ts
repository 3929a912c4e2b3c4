import { expect, test } from 'vitest'
import type { Upstream } from '../upstream.ts'
import { orderUpstreams } from './order.ts'

const need = { weight: 'light', kind: 'any' } as const

/** Returns the names of nodes with these heights in the order in which they are asked. */
const order = (heights: Readonly<Record<string, number>>, storedHeight?: number): readonly string[] => {
  const upstreams = Object.entries(heights).map(
    ([name, latestHeight]) =>
      ({ name, address: { node: name }, status: { latestHeight, earliestHeight: 1 } }) as unknown as Upstream,
  )
  return orderUpstreams(upstreams, need, { maxLag: 10, random: () => 0, storedHeight }).map(
    ({ name }) => name,
  )
}

test('a node that is behind by more than the limit comes last', () => {
  expect(order({ late: 80, first: 100 })).toEqual(['first', 'late'])
  expect(order({ late: 80, first: 100 }, 99)).toEqual(['first', 'late'])
  expect(order({ late: 95, first: 100 }, 99)).toEqual(['late', 'first'])
})

test('a node that claims a height that nobody has makes no other late', () => {
  expect(order({ first: 100, second: 99, liar: 2 ** 52 }, 99)).toEqual(['first', 'second', 'liar'])
  expect(order({ first: 100, second: 99, liar: 110 }, 99)).toEqual(['first', 'second', 'liar'])
  expect(order({ first: 100, late: 70, liar: 2 ** 52 }, 99)).toEqual(['first', 'liar', 'late'])
  expect(order({ first: 100, liar: 2 ** 52 }, 99)).toEqual(['first', 'liar'])
})

test('while the store is far behind, the second highest height counts', () => {
  expect(order({ late: 500, first: 1_000, second: 999 }, 3)).toEqual(['first', 'second', 'late'])
})
