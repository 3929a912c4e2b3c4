import { expect, test } from 'vitest'
import type { Upstream } from '../upstream.ts'
import { orderUpstreams } from './order.ts'

const need = { weight: 'light', kind: 'any' } as const

const send = { weight: 'heavy', kind: 'any', isSend: true } as const

const nodeNamed = (name: string, weight?: number, latestHeight = 100): Upstream =>
  ({
    name,
    address: { node: name, weight },
    status: { latestHeight, earliestHeight: 1 },
  }) as unknown as Upstream

const namesOf = (upstreams: readonly Upstream[]): readonly string[] => upstreams.map(({ name }) => name)

/** Returns the names of nodes with these heights in the order in which they are asked. */
const order = (heights: Readonly<Record<string, number>>, storedHeight?: number): readonly string[] => {
  const upstreams = Object.entries(heights).map(([name, height]) => nodeNamed(name, undefined, height))
  return namesOf(orderUpstreams(upstreams, need, { maxLag: 10, random: () => 0, storedHeight }))
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

test('a transaction goes to who was not asked for it yet, then to who was asked longest ago', () => {
  const nodes = [nodeNamed('first'), nodeNamed('second'), nodeNamed('spare', 0), nodeNamed('late', 1, 80)]
  const options = { maxLag: 10, random: () => 0 }
  const sendAfter = (asked: readonly string[], refusedBy: readonly string[] = []): readonly string[] =>
    namesOf(orderUpstreams(nodes, { ...send, asked, refusedBy }, options))
  expect(sendAfter([])).toEqual(['first', 'second', 'spare', 'late'])
  expect(sendAfter(['first'])).toEqual(['second', 'spare', 'first', 'late'])
  expect(sendAfter(['second', 'first'])).toEqual(['spare', 'second', 'first', 'late'])
  expect(sendAfter(['spare', 'second', 'first'])).toEqual(['spare', 'second', 'first', 'late'])
  expect(sendAfter(['first', 'second'], ['first', 'spare'])).toEqual(['second', 'late', 'spare', 'first'])
})

test('a node that is avoided comes after all others but those that rejected the transaction', () => {
  const nodes = [nodeNamed('avoided'), nodeNamed('late', 1, 80), nodeNamed('asked')]
  const options = { maxLag: 10, random: () => 0, isAvoided: (name: string) => name === 'avoided' }
  const sendAfter = (asked: readonly string[], refusedBy: readonly string[] = []): readonly string[] =>
    namesOf(orderUpstreams(nodes, { ...send, asked, refusedBy }, options))
  expect(sendAfter(['asked'])).toEqual(['asked', 'late', 'avoided'])
  // A node that rejected a transaction is asked for it again when no other is left.
  expect(sendAfter(['asked'], ['asked'])).toEqual(['late', 'avoided', 'asked'])
})

test('of nodes that said that they pruned a state an archive comes first, and then who said so longest ago', () => {
  const state = { weight: 'light', kind: 'state', height: 5 } as const
  const nodeOf = (name: string, doubted: number, role: 'head' | 'archive'): Upstream => {
    const { address, status } = nodeNamed(name, undefined, 1_000)
    return {
      name,
      address: { ...address, roles: [role] },
      status,
      doubtedUntil: () => doubted,
    } as unknown as Upstream
  }
  const nodes = [
    nodeOf('later', 30, 'head'),
    nodeOf('earlier', 20, 'head'),
    nodeOf('archive', 40, 'archive'),
    nodeOf('not doubted', 0, 'head'),
  ]
  const options = { maxLag: 10, random: () => 0 }
  expect(namesOf(orderUpstreams(nodes, state, options))).toEqual([
    'not doubted',
    'archive',
    'earlier',
    'later',
  ])
})
