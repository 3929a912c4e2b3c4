import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LmdbEnvironment } from './lmdb.ts'
import { writeInParts } from './parts.ts'

const directory = mkdtempSync(join(tmpdir(), 'perihelion-parts-'))
const keyOf = (index: number): Uint8Array => Uint8Array.of(index >> 8, index)

describe('writeInParts', () => {
  afterAll(() => rmSync(directory, { recursive: true }))

  it.each([
    { isDurable: true, count: 4096 },
    { isDurable: true, count: 10_001 },
    { isDurable: false, count: 10_001 },
  ])('writes all rows or none: $count, durable: $isDurable', async ({ isDurable, count }) => {
    const path = join(directory, `${count}${isDurable}.mdb`)
    const environment = new LmdbEnvironment({ path, isDurable, minFreeBytes: 0 })
    const table = environment.table('rows')
    const write = (value: number, failsAt?: number) =>
      environment.transact(() =>
        writeInParts(table, count, (index) => {
          if (index === failsAt) throw new Error('no')
          table.put(keyOf(index), Uint8Array.of(value))
        }),
      )
    const values = (rows = table) => new Set([...rows.getRange({})].map(({ value }) => value[0]))

    await expect(write(1, count - 1)).rejects.toThrow('no')
    expect(table.getCount()).toBe(0)
    await write(2)
    expect(table.getCount()).toBe(count)
    await expect(write(3, count - 1)).rejects.toThrow('no')
    expect([...values()]).toEqual([2])
    expect(environment.isPoisoned).toBe(false)
    await write(4)
    await environment.close()

    const reader = new LmdbEnvironment({ path, readOnly: true })
    expect(reader.table('rows').getCount()).toBe(count)
    expect([...values(reader.table('rows'))]).toEqual([4])
    await reader.close()
  })

  it('has the rows of one part seen by the next, and by what follows in the transaction', async () => {
    const environment = new LmdbEnvironment({ path: join(directory, 'seen.mdb'), minFreeBytes: 0 })
    const table = environment.table('rows')
    const missing: number[] = []
    await environment.transact(() => {
      writeInParts(table, 5_000, (index) => {
        if (index > 0 && table.get(keyOf(index - 1)) === undefined) missing.push(index)
        table.put(keyOf(index), keyOf(index))
      })
      table.remove(keyOf(4_999))
      expect(table.get(keyOf(4_998))).toBeDefined()
    })
    expect(missing).toEqual([])
    expect(table.getCount()).toBe(4_999)
    await environment.close()
  })
})
