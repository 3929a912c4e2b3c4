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
