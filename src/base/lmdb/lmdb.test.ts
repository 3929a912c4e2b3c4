import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LmdbEnvironment, LowSpaceError } from './lmdb.ts'

const directory = mkdtempSync(join(tmpdir(), 'perihelion-lmdb-'))
const key = Uint8Array.of(1)

describe('LmdbEnvironment', () => {
  afterAll(() => rmSync(directory, { recursive: true }))

  it.each([true, false])(
    'writes nothing where the work throws, and goes on; durable: %s',
    async (isDurable) => {
      const path = join(directory, `a${isDurable}.mdb`)
      const environment = new LmdbEnvironment({ path, isDurable, minFreeBytes: 0 })
      const table = environment.table('rows')
      const failing = environment.transact(() => {
        table.put(key, Uint8Array.of(7))
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(table.get(key)).toBeUndefined()
      expect(environment.isPoisoned).toBe(false)
      await environment.transact(() => {
        table.put(key, Uint8Array.of(8))
      })
      expect([...(table.get(key) as Uint8Array)]).toEqual([8])
      await environment.close()
    },
  )

  it.each([true, false])('refuses to commit below the watermark; durable: %s', async (isDurable) => {
    const environment = new LmdbEnvironment({
      path: join(directory, `b${isDurable}.mdb`),
      isDurable,
      minFreeBytes: Number.MAX_SAFE_INTEGER,
    })
    const table = environment.table('rows')
    const refused = environment.transact(() => {
      table.put(key, Uint8Array.of(7))
    })
    await expect(refused).rejects.toThrow(LowSpaceError)
    expect(table.get(key)).toBeUndefined()
    await environment.close()
  })

  it('reads what it read before while its reads are held, and what is there now after it', async () => {
    const path = join(directory, 'held.mdb')
    const writer = new LmdbEnvironment({ path, isDurable: false, minFreeBytes: 0 })
    const written = writer.table('rows')
    const set = (value: number): Promise<void> =>
      writer.transact(() => {
        written.put(key, Uint8Array.of(value))
        written.put(Uint8Array.of(value), Uint8Array.of(value))
      })
    await set(7)
    const reader = new LmdbEnvironment({ path, readOnly: true })
    const table = reader.table('rows')
    const range = table.getRange({})
    const read = () => [table.get(key)?.[0], table.doesExist(Uint8Array.of(8)), [...table.getKeys({})].length]
    const letGo = reader.holdReads()
    await set(8)
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      reader.refresh()
      expect(read()).toEqual([7, false, 2])
      expect([...range]).toHaveLength(2)
    }
    expect(() => reader.holdReads()).toThrow('held already')
    letGo()
    letGo()
    reader.refresh()
    expect(read()).toEqual([8, true, 3])
    expect([...range]).toHaveLength(3)
    await reader.close()
    await writer.close()
  })

  it('commits what need not last before it returns', async () => {
    const path = join(directory, 'c.mdb')
    const environment = new LmdbEnvironment({ path, isDurable: false, minFreeBytes: 0 })
    const table = environment.table('rows')
    const reader = new LmdbEnvironment({ path, readOnly: true })
    const committed = environment.transact(() => {
      table.put(key, Uint8Array.of(7))
    })
    reader.refresh()
    expect(reader.table('rows').get(key)?.[0]).toBe(7)
    await committed
    await reader.close()
    await environment.close()
  })
})
