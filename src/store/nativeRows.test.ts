import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { NativeBlockReader } from './nativeRows.ts'
import { nativeTableNames } from './tables/chainTables.ts'

test('the native data of a store from before its index can be read without writing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-native-'))
  try {
    const path = join(folder, 'data.mdb')
    const older = new LmdbEnvironment({ path })
    for (const name of ['facts', 'places', 'numbers'] as const) older.table(nativeTableNames[name])
    await older.close()
    const environment = new LmdbEnvironment({ path, readOnly: true })
    expect(new NativeBlockReader(environment).block(1)).toBeUndefined()
    await environment.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
