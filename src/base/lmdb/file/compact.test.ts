import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbEnvironment } from '../lmdb.ts'
import { checkDataFile } from './check.ts'
import { compactDataFile } from './compact.ts'
import { DamagedFileError } from './damage.ts'

describe('a data file that is compacted', () => {
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-compact-'))
    path = join(folder, 'a.mdb')
    const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
    const plain = environment.table('plain')
    const sorted = environment.sortedTable('sorted')
    const keyOf = (row: number): Buffer => Buffer.from(row.toString().padStart(8, '0'))
    await environment.transact(() => {
      for (let row = 0; row < 2000; row++)
        plain.put(keyOf(row), Buffer.alloc(row % 10 === 0 ? 20_000 : 900, row))
      for (let row = 0; row < 2000; row++) sorted.put(keyOf(row >> 6), keyOf(row))
    })
    await environment.transact(() => {
      for (let row = 0; row < 2000; row++) if (row % 8 !== 0) plain.remove(keyOf(row))
    })
    await environment.close()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const rowsOf = (): string[] => {
    const rows: string[] = []
    const { problems } = checkDataFile(path, {
      onRow: (table, key, value) => rows.push(`${table} ${key} ${value.toString('base64')}`),
    })
    expect(problems).toEqual([])
    return rows
  }

  test('keeps its mode, and a link to it stays one', async () => {
    chmodSync(path, 0o600)
    const link = join(folder, 'link.mdb')
    symlinkSync(path, link)
    const { ino } = statSync(path)
    // Whoever opens the link has the lock file beside it.
    await new LmdbEnvironment({ path: link, minFreeBytes: 0 }).close()
    expect(existsSync(`${link}-lock`)).toBe(true)
    await compactDataFile(link)
    expect([existsSync(`${link}-lock`), existsSync(`${path}-lock`)]).toEqual([false, false])
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(path).ino).not.toBe(ino)
  })

  test('is smaller, has the same rows, and can be written to', async () => {
    const rows = rowsOf()
    const size = statSync(path).size
    const parts = new Set<string>()
    writeFileSync(`${path}.compact`, 'left behind')
    const result = await compactDataFile(path, { onProgress: (part) => parts.add(part) })
    expect(result).toEqual({ bytesBefore: size, bytesAfter: statSync(path).size })
    expect(result.bytesAfter).toBeLessThan(size / 2)
    expect([...parts]).toEqual(expect.arrayContaining(['reading', 'comparing']))
    expect(existsSync(`${path}.compact`)).toBe(false)
    expect(rowsOf()).toEqual(rows)
    const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
    const table = environment.table('plain')
    await environment.transact(() => {
      table.put(Buffer.from('later'), Buffer.from('value'))
    })
    expect(Buffer.from(table.get(Buffer.from('later')) ?? []).toString()).toBe('value')
    await environment.close()
    expect(rowsOf()).toHaveLength(rows.length + 1)
    // Nothing is left to give back.
    const again = await compactDataFile(path)
    expect(again.bytesBefore - again.bytesAfter).toBeLessThan(size / 10)
  })

  test('stays as it is if it is damaged', async () => {
    const bytes = readFileSync(path)
    bytes.fill(7, bytes.length - 40_000, bytes.length - 20_000)
    bytes.fill(7, 5 * 8192, 60 * 8192)
    writeFileSync(path, bytes)
    await expect(compactDataFile(path)).rejects.toThrow(DamagedFileError)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(existsSync(`${path}.compact`)).toBe(false)
  })
})
