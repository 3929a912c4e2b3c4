import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { appendRecords } from '../../base/files/recordFile.ts'
import { writeAll } from '../../base/files/writeAll.ts'
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

test('the file stays small however often filters are polled', slow, () => {
  const journal = new FilterJournal(path, fail)
  journal.add(filter(1n))
  for (let next = 0; next < 40_000; next++) journal.poll(1n, 8, next, 2_000)
  journal.close()
  expect(statSync(path).size).toBeLessThan(16_500 * 200)
  expect(new FilterJournal(path, fail).filters()[0]?.next).toBe(39_999)
})

test('a record that a full disk has cut hides none that come later, and none is missing once there is room', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    let isFull = false
    const errors: unknown[] = []
    const journal = new FilterJournal(
      path,
      (error) => errors.push(error),
      (file, end, payloads) =>
        appendRecords(file, end, payloads, (to, bytes, position) => {
          writeAll(to, isFull ? bytes.subarray(0, 11) : bytes, position)
          if (isFull) throw new Error('ENOSPC')
        }),
    )
    journal.add(filter(1n))
    const size = statSync(path).size
    isFull = true
    journal.add(filter(2n))
    expect([errors.length, statSync(path).size]).toEqual([1, size])
    isFull = false
    journal.poll(1n, 8, 20, 2_000)
    vi.advanceTimersByTime(1_000)
    journal.add(filter(3n))
    journal.poll(3n, 8, 30, 2_000)
    journal.close()
    expect(new FilterJournal(path, fail).filters().map(({ id, next }) => [id, next])).toEqual([
      [1n, 20],
      [2n, 8],
      [3n, 30],
    ])
  } finally {
    vi.useRealTimers()
  }
})
