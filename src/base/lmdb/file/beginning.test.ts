import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbEnvironment } from '../lmdb.ts'
import { checkDataFile } from './check.ts'
import { DamagedFileError } from './damage.ts'

describe('a new data file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-new-'))
    path = join(folder, 'a.mdb')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const open = () => new LmdbEnvironment({ path, minFreeBytes: 0 })

  test('is marked until its first commit, and begun again if it was never written', async () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const environment = open()
      expect(existsSync(`${path}.new`)).toBe(true)
      await environment.close()
      truncateSync(path, attempt === 0 ? 0 : 100)
    }
    const environment = open()
    const table = environment.table('a')
    await environment.transact(() => {
      table.put(Buffer.from('key'), Buffer.from('value'))
    })
    expect(existsSync(`${path}.new`)).toBe(false)
    await environment.close()
    expect(checkDataFile(path)).toMatchObject({ problems: [], tables: [{ name: 'a', rows: 1 }] })
  })

  test('a mark that was left behind removes no file that may hold a chain', async () => {
    const environment = open()
    const table = environment.table('a')
    await environment.transact(() => {
      for (let row = 0; row < 100; row++) table.put(Uint8Array.of(row), Buffer.alloc(1000, row))
    })
    await environment.close()
    writeFileSync(`${path}.new`, '')
    // Both meta pages are gone, the pages of the rows are there.
    const bytes = readFileSync(path)
    bytes.fill(7, 0, 2 * 8192)
    writeFileSync(path, bytes)
    expect(open).toThrow(DamagedFileError)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    // Of a file that was cut off before its meta pages reached the disk nothing was acknowledged.
    bytes.fill(0, 0, 2 * 8192)
    writeFileSync(path, bytes)
    await open().close()
    expect(statSync(path).size).toBeLessThan(bytes.length)
  })

  test.each([0, 1])('is begun again if power was cut before meta page %s was on the disk', async (page) => {
    await open().close()
    const bytes = Buffer.concat([readFileSync(path), Buffer.alloc(3 * 8192, 7)])
    // The pages of the first commit are there, and of the two meta pages, which no sync made safe, one is.
    bytes.fill(0, page * 8192, (page + 1) * 8192)
    writeFileSync(path, bytes)
    await open().close()
    expect(statSync(path).size).toBeLessThan(bytes.length)
    // Without the mark something was acknowledged.
    rmSync(`${path}.new`)
    writeFileSync(path, bytes)
    expect(open).toThrow(DamagedFileError)
  })

  test('is not begun again if a meta page is of a commit', async () => {
    const environment = open()
    environment.table('a')
    await environment.close()
    const bytes = readFileSync(path)
    bytes.fill(0, 0, 8192)
    writeFileSync(path, bytes)
    writeFileSync(`${path}.new`, '')
    expect(open).toThrow(DamagedFileError)
  })

  test('its pages are checked when it is opened, unless they were', async () => {
    const environment = open()
    const table = environment.table('a')
    await environment.transact(() => {
      for (let row = 0; row < 100; row++) table.put(Uint8Array.of(row), Buffer.alloc(1000, row))
    })
    await environment.close()
    const bytes = readFileSync(path)
    bytes.fill(7, 4 * 8192)
    writeFileSync(path, bytes)
    expect(open).toThrow(DamagedFileError)
    await new LmdbEnvironment({ path, minFreeBytes: 0, isChecked: true }).close()
  })

  test('one that is empty afterwards is rejected', async () => {
    const environment = open()
    const table = environment.table('a')
    await environment.transact(() => {
      table.put(Buffer.from('key'), Buffer.from('value'))
    })
    await environment.close()
    truncateSync(path, 0)
    expect(open).toThrow(DamagedFileError)
    writeFileSync(path, Buffer.alloc(50_000, 7))
    expect(open).toThrow('is damaged: meta page 0 is not one of LMDB: restore it from a backup')
  })
})
