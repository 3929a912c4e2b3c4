import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../test/support/random.ts'
import { LmdbEnvironment } from '../lmdb.ts'
import { checkDataFile } from './check.ts'

/** Rows of all shapes: small and on overflow pages, single and sorted ones, of which some have a tree of their own. */
const shapes = [1, 60, 900, 5_000, 40_000] as const
const sortedCounts = [1, 3, 40, 2_000] as const

describe('checkDataFile', () => {
  let folder: string
  let path: string
  const rows: string[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-file-'))
    path = join(folder, 'a.mdb')
    const random = createRandom(3)
    const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
    const plain = environment.table('plain')
    const sorted = environment.sortedTable('sorted')
    const empty = environment.table('empty')
    for (let commit = 0; commit < 20; commit++)
      await environment.transact(() => {
        for (let i = 0; i < 40; i++)
          plain.put(random.bytes(1 + random.below(40)), random.bytes(random.pick(shapes)))
        for (let i = 0; i < random.pick(sortedCounts); i++)
          sorted.put(Uint8Array.of(commit % 7), random.bytes(6 + random.below(30)))
        for (const key of [...plain.getKeys({ limit: 10 })].map((bytes) => bytes.slice())) plain.remove(key)
        if (commit === 10) empty.put(Uint8Array.of(1), Uint8Array.of(1))
        if (commit === 11) empty.remove(Uint8Array.of(1))
      })
    for (const { key, value } of plain.getRange({})) rows.push(describeRow('plain', key, value))
    for (const { key, value } of sorted.getRange({})) rows.push(describeRow('sorted', key, value))
    await environment.close()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('reads the rows that LMDB reads, and every page is in use or free', () => {
    const found: string[] = []
    const check = checkDataFile(path, {
      onRow: (table, key, value) => found.push(describeRow(table, key, value)),
    })
    expect(check.problems).toEqual([])
    expect(found).toEqual(rows)
    expect(check.tables.map(({ name, isSorted }) => [name, isSorted])).toEqual([
      ['empty', false],
      ['plain', false],
      ['sorted', true],
    ])
    expect(check.freePages).toBeGreaterThan(0)
  })

  test.each([
    ['a page number', 3 * 8_192, 1],
    ['the flags of a page', 3 * 8_192 + 18, 0x10],
    ['the magic number', 24, 1],
    ['the version', 28, 4],
    ['the transaction of a meta page', 8_192 + 24 + 128, 8],
  ])('finds a changed bit in %s', (_, offset, mask) => {
    const bytes = readFileSync(path)
    bytes[offset] = (bytes[offset] as number) ^ mask
    const damaged = join(folder, 'damaged.mdb')
    writeFileSync(damaged, bytes)
    const isUsed = checkDataFile(damaged).problems.length > 0
    // Page 3 may be a free one by the last commit.
    if (offset < 2 * 8_192) expect(isUsed).toBe(true)
  })

  test('reads at most as many pages as its limit says', () => {
    const { isWhole, pages, problems } = checkDataFile(path, { maxPages: 5 })
    expect({ isWhole, problems }).toEqual({ isWhole: false, problems: [] })
    expect(pages).toBeLessThan(checkDataFile(path).pages / 2)
  })

  test('does not read large values past its limit either', async () => {
    const large = join(folder, 'large.mdb')
    const environment = new LmdbEnvironment({ path: large, minFreeBytes: 0 })
    const table = environment.table('plain')
    await environment.transact(() => table.put(Uint8Array.of(1), new Uint8Array(10_000_000)))
    await environment.close()
    expect(checkDataFile(large)).toMatchObject({ isWhole: true, problems: [] })
    expect(checkDataFile(large).pages).toBeGreaterThan(1_000)
    const { isWhole, pages, problems } = checkDataFile(large, { maxPages: 50 })
    expect({ isWhole, problems }).toEqual({ isWhole: false, problems: [] })
    expect(pages).toBeLessThan(60)
    // That it ends in the file is checked all the same.
    truncateSync(large, 5_000_000)
    expect(checkDataFile(large, { maxPages: 50 }).problems).not.toEqual([])
  })

  test('takes a file without its last pages for whole if these are free, and looks at all of it if not', async () => {
    const short = join(folder, 'short.mdb')
    const environment = new LmdbEnvironment({ path: short, minFreeBytes: 0 })
    const table = environment.table('plain')
    await environment.transact(() => {
      for (let i = 0; i < 200; i++) table.put(Uint8Array.of(1, i), new Uint8Array(1_500).fill(1))
    })
    await environment.transact(() => table.put(Uint8Array.of(2), new Uint8Array(1_000_000)))
    await environment.transact(() => table.remove(Uint8Array.of(2)))
    // Small commits move what they write into free pages before the end, until the last page is free.
    const isFreeAtEnd = (): boolean => {
      writeFileSync(`${short}.copy`, readFileSync(short).subarray(0, -8_192))
      return checkDataFile(`${short}.copy`).problems.length === 0
    }
    for (let i = 0; i < 50 && !isFreeAtEnd(); i++)
      await environment.transact(() => table.put(Uint8Array.of(3), Uint8Array.of(i)))
    await environment.close()
    const { size } = statSync(short)
    truncateSync(short, size - 8_192)
    expect(checkDataFile(short)).toMatchObject({ isWhole: true, problems: [] })
    expect(checkDataFile(short, { maxPages: 5 })).toMatchObject({ isWhole: false, problems: [] })
    truncateSync(short, size / 4)
    expect(checkDataFile(short, { maxPages: 5 }).problems).not.toEqual([])
  })

  test('a pipe is not data file, and is not waited for', () => {
    const pipe = join(folder, 'pipe.mdb')
    execFileSync('mkfifo', [pipe])
    expect(() => checkDataFile(pipe)).toThrow('not a regular file')
  })
})

const describeRow = (table: string, key: Uint8Array, value: Uint8Array): string =>
  `${table} ${Buffer.from(key.subarray(0, key.length)).toString('hex')} ${value.length} ${value[0]} ${value[value.length - 1]}`
