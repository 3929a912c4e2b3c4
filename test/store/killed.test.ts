import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { StoreCheck } from '../../src/store/check/storeCheck.ts'
import { testSome } from '../support/slow.ts'

const script = fileURLToPath(new URL('./writerProcess.ts', import.meta.url))

testSome(1, [5, undefined])(
  'a killed writer leaves a whole chain that ends at or after what it acknowledged, pruned to %s blocks',
  async (retained) => {
    for (const blocks of [3, 25]) {
      const folder = mkdtempSync(join(tmpdir(), 'perihelion-killed-'))
      const path = join(folder, 'data')
      const child = spawn(process.execPath, [
        ...['--import', 'tsx', script, path],
        ...(retained === undefined ? [] : [String(retained)]),
      ])
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
        if (output.split('\n').length > blocks) child.kill('SIGKILL')
      })
      await once(child, 'close')
      const acknowledged = Number(output.trim().split('\n').at(-1))
      expect(acknowledged).toBeGreaterThanOrEqual(blocks - 1)
      const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
      try {
        const store = new BlockStore(environment)
        expect(store.head()?.number).toBeGreaterThanOrEqual(acknowledged)
        expect([...new StoreCheck(store, environment).run()]).toEqual([])
        const oldest = store.oldestComplete()
        if (retained === undefined) expect(oldest).toBe(0)
        else if (blocks > 10) expect(oldest).toBeGreaterThan(1)
        // What is left can be pruned and written on.
        await environment.transact(() => {
          store.pruneBelow((store.head()?.number ?? 0) - 1, 1_000)
        })
        expect([...new StoreCheck(store, environment).run()]).toEqual([])
      } finally {
        await environment.close()
        rmSync(folder, { recursive: true })
      }
    }
  },
)
