import { describe, expect, test } from 'vitest'
import { compareResults, toComparison } from '../../bench/support/report/compare.ts'
import { toPage } from '../../bench/support/report/page.ts'
import { mergeResults, originOf, type Results } from '../../bench/support/report/results.ts'
import { bestOfPeers, groupRows, ratioToBest } from '../../bench/support/report/rows.ts'
import { formatNumber, toLine, toText } from '../../bench/support/report/text.ts'
import type { Measurement } from '../../bench/support/run/measurement.ts'

const cell = (rest: Partial<Measurement>): Measurement => ({
  suite: 'answers',
  part: 'rpc',
  row: 'eth_getBalance',
  side: 'perihelion',
  kind: 'ours',
  connections: 16,
  unit: 'request',
  by: 'rate',
  figures: { rate: 8_000, cpuMicros: 120 },
  neighbours: 0,
  attempts: 1,
  ...rest,
})
const anvil = cell({ side: 'anvil', kind: 'peer', figures: { rate: 36_000, cpuMicros: 36 } })
const geth = cell({ side: 'geth', kind: 'peer', figures: { rate: 10_000, cpuMicros: 143 } })
const floor = cell({ side: 'bare raw socket', kind: 'floor', figures: { rate: 90_000, cpuMicros: 9 } })

const results = (measurements: readonly Measurement[], rest: Partial<Results> = {}): Results => ({
  date: '2026-11-15',
  commit: 'abc',
  isQuick: false,
  machine: { cpu: 'a processor', cores: 2, memoryGb: 4, system: 'linux', node: 'v20' },
  versions: { anvil: 'anvil/v1.7.1' },
  measurements,
  differences: [],
  remarks: [],
  ...rest,
})

describe('ratios', () => {
  test('are of ours to the best peer: the floor is none, and who did something else is none', () => {
    const [row] = groupRows([floor, geth, anvil, cell({})])
    if (row === undefined) throw new Error('there is one row')
    expect(row.cells.map(({ side }) => side)).toEqual(['perihelion', 'geth', 'anvil', 'bare raw socket'])
    expect(bestOfPeers(row, 'rate')).toBe(36_000)
    expect(bestOfPeers(row, 'cpuMicros')).toBe(36)
    expect(ratioToBest(row, cell({}), 'cpuMicros')).toBeCloseTo(120 / 36)
    expect(ratioToBest(row, anvil, 'rate')).toBeUndefined()
    const [other] = groupRows([cell({}), { ...anvil, isVoid: true }, geth])
    expect(other && bestOfPeers(other, 'rate')).toBe(10_000)
  })
})

describe('the report', () => {
  test('shows numbers with the digits that they are worth', () => {
    expect([0, 0.012345, 9.876, 54.32, 123.4, 1_234_567, Number.NaN].map(formatNumber)).toEqual([
      '0',
      '0.0123',
      '9.88',
      '54.3',
      '123',
      '1,234,567',
      '-',
    ])
  })

  test('marks rows during which others used the machine', () => {
    expect(toLine(cell({}))).not.toContain('*')
    expect(toLine(cell({ neighbours: 0.4, attempts: 3 }))).toContain(
      '* others used 40 % of the machine; measured 3 times',
    )
  })

  test('has a line for every side, with its ratio', () => {
    const text = toText([cell({}), anvil, geth])
    expect(text).toContain('eth_getBalance, 16 connections')
    expect(text).toMatch(/perihelion .*8,000 .*0\.222 × rate\/s, 3\.33 × CPU µs/)
    expect(text.split('\n').filter((line) => /anvil|geth/.test(line))).toHaveLength(2)
  })

  test('the page has tables, plots and what differed', () => {
    const differences = [{ part: 'rpc', row: 'receipt', side: 'anvil', text: 'a | b', isVoid: true }]
    const { text, plots } = toPage(results([cell({}), anvil, geth, floor], { differences }))
    expect(text).toContain('2 × a processor')
    expect(text).toContain('| eth_getBalance, 16 connections | **perihelion** | 8,000 |')
    expect(text).toContain('receipt, anvil (not compared): a \\| b')
    expect([...plots.keys()]).toEqual(['answers-rpc-cpuMicros.svg'])
    const svg = plots.get('answers-rpc-cpuMicros.svg') ?? ''
    expect(svg.match(/<rect x=/g)).toHaveLength(4)
    expect(svg).not.toContain('NaN')
  })
})

describe('a comparison of runs', () => {
  test('names what got slower by more than noise, by CPU', () => {
    const before = results([cell({}), cell({ row: 'receipt', figures: { rate: 1, cpuMicros: 100 } })])
    const after = results([
      cell({ figures: { rate: 16_000, cpuMicros: 240 } }),
      cell({ row: 'receipt', figures: { rate: 1, cpuMicros: 105 } }),
      cell({ row: 'new' }),
    ])
    expect(compareResults(before, after)).toMatchObject([
      { figure: 'cpuMicros', before: 120, after: 240, isSlower: true, isDoubtful: false },
    ])
    expect(compareResults(after, before)).toMatchObject([{ isSlower: false }])
    expect(toComparison(before, after)).toContain('1 slower, 0 faster')
  })

  test('of a figure of which more is better, less is slower', () => {
    const of = (mgas: number) => results([cell({ by: 'mgas', figures: { mgas } })])
    expect(compareResults(of(100), of(50))).toMatchObject([{ isSlower: true }])
    expect(compareResults(of(50), of(100))).toMatchObject([{ isSlower: false }])
  })

  test('says so where neighbours were busy or the machines differ', () => {
    const after = results([cell({ figures: { cpuMicros: 1_000 }, neighbours: 0.5 })], {
      machine: { cpu: 'another', cores: 8, memoryGb: 4, system: 'linux', node: 'v20' },
    })
    const text = toComparison(results([cell({})]), after)
    expect(text).toContain('* a neighbour')
    expect(text).toContain('the machines differ')
  })
})

test('a later run of the day replaces the parts that it measured', () => {
  const before = results([cell({}), cell({ part: 'growth', row: 'a' })])
  const after = results([cell({ figures: { rate: 1 } })])
  const merged = mergeResults(before, after)
  expect(merged.measurements.map(({ part, figures }) => [part, figures.rate])).toEqual([
    ['growth', 8_000],
    ['rpc', 1],
  ])
  expect(originOf(merged, { suite: 'answers', part: 'growth' })).toEqual({
    date: before.date,
    commit: before.commit,
  })
})

test('the page names the run of a part that is of another day', () => {
  const before = results([cell({}), cell({ part: 'growth', row: 'a' })], {
    date: '2026-01-01',
    commit: 'aaaa',
  })
  const after = results([cell({})], { date: '2026-01-02', commit: 'bbbb' })
  const { text } = toPage(mergeResults(before, after))
  expect(text).toContain('Measured on 2026-01-02 at commit bbbb, but where a part names another run.')
  expect(text.match(/Measured on 2026-01-01 at commit aaaa\./g)).toHaveLength(1)
})
