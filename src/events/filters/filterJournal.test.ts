import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FilterJournal, type StoredFilter } from './filterJournal.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'filters-'))
  path = join(folder, 'data', 'filters.journal')
})
afterEach(() => rmSync(folder, { recursive: true }))

const fail = (error: unknown): void => {
  throw error
}

const filter = (id: bigint, next = 8): StoredFilter => ({
  id,
  criteria: {
    kind: 'logs',
    filter: {
      addresses: [new Uint8Array(20).fill(7)],
      topics: [[new Uint8Array(32).fill(9)], []],
      blocks: { kind: 'range', from: { kind: 'number', number: 5n }, to: { kind: 'tag', tag: 'latest' } },
    } as never,
  },
  owner: '192.0.2.1',
  first: 5,
  last: Number.POSITIVE_INFINITY,
  since: 8,
  next,
  usedAt: 1_000,
})

test('filters come back as they were when the process was killed', () => {
  const first = new FilterJournal(path, fail)
  first.add(filter(1n))
  first.add(filter(2n))
  first.add(filter(3n))
  first.poll(1n, 8, 12, 2_000)
  first.remove(2n)
  // Not closed: nothing is left to be written.
  const { criteria, ...rest } = filter(1n)
  expect(new FilterJournal(path, fail).filters()).toEqual([
    { kind: 'added', ...rest, criteria, next: 12, usedAt: 2_000 },
    { kind: 'added', ...filter(3n) },
  ])
  first.close()
})

test('a torn end costs the last record alone', () => {
  const first = new FilterJournal(path, fail)
  first.add(filter(1n))
  first.close()
  appendFileSync(path, readFileSync(path).subarray(0, 30))
  expect(new FilterJournal(path, fail).filters()).toHaveLength(1)
})

test('the file stays small however often filters are polled', () => {
  const journal = new FilterJournal(path, fail)
  journal.add(filter(1n))
  for (let next = 0; next < 40_000; next++) journal.poll(1n, 8, next, 2_000)
  journal.close()
  expect(statSync(path).size).toBeLessThan(16_500 * 200)
  expect(new FilterJournal(path, fail).filters()[0]?.next).toBe(39_999)
})
