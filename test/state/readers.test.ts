import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { emptyCodeHash } from '../../src/chain/state/evmState.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'

/** Readers in threads and in other processes, each at its height, while the writer goes on. */

const directory = mkdtempSync(join(tmpdir(), 'perihelion-readers-'))
const path = join(directory, 'state.mdb')
const script = fileURLToPath(new URL('readerWorker.ts', import.meta.url))
const random = createRandom(1)
const addresses = Array.from({ length: 50 }, () => random.bytes(20))

const changesAt = (height: number) => ({
  code: [],
  accounts: addresses
    .filter((_, i) => (i + height) % 3 !== 0)
    .map((address) => ({
      address,
      account:
        (height + (address[0] as number)) % 5 === 0
          ? undefined
          : { nonce: BigInt(height), balance: 1n, codeHash: emptyCodeHash },
      storageCleared: false,
      storage: [],
    })),
})

interface Asked {
  ask(): Promise<string>
}

const startThread = async (height: number, pinned: string): Promise<Asked & { worker: Worker }> => {
  const worker = new Worker(
    `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(script)}) })`,
    {
      eval: true,
      env: { ...process.env, READER_ARGUMENTS: `${path} ${height} 50 ${pinned}` },
    },
  )
  await once(worker, 'message')
  return {
    worker,
    ask: async () => {
      worker.postMessage('')
      return (await once(worker, 'message'))[0]
    },
  }
}

const startProcess = async (height: number, pinned: string): Promise<Asked & { child: ChildProcess }> => {
  const child = fork(script, {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, READER_ARGUMENTS: `${path} ${height} 50 ${pinned}` },
  })
  await once(child, 'message')
  return {
    child,
    ask: async () => {
      child.send('')
      return (await once(child, 'message'))[0]
    },
  }
}

describe('readers', () => {
  afterAll(() => rmSync(directory, { recursive: true }))

  it(
    'stay at their height, also through pruning and undo when pinned; a killed one is cleared',
    slow,
    async () => {
      const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
      const store = new StateStore(environment, { pruning: 'everything' })
      for (let height = 0; height < 6; height++) await store.commit(height, changesAt(height))
      const thread = await startThread(3, 'free')
      const pinnedThread = await startThread(2, 'pinned')
      const other = await startProcess(4, 'free')
      const pinnedOther = await startProcess(5, 'pinned')
      const readers = [thread, pinnedThread, other, pinnedOther]
      const before = await Promise.all(readers.map((reader) => reader.ask()))
      expect(new Set(before).size).toBe(4)
      for (let height = 6; height < 10; height++) {
        await store.commit(height, changesAt(height))
        expect(await Promise.all(readers.map((reader) => reader.ask()))).toEqual(before)
      }
      await store.revert(4)
      expect(await pinnedOther.ask()).toBe(before[3])
      for (let height = 5; height < 30; height++) await store.commit(height, changesAt(height + 1))
      expect(store.oldest).toBe(20)
      expect(await pinnedThread.ask()).toBe(before[1])
      expect(await pinnedOther.ask()).toBe(before[3])
      expect(() => store.reader(5)).toThrow('no state is kept for height 5: 20 to 29 are')

      pinnedOther.child.kill('SIGKILL')
      await once(pinnedOther.child, 'exit')
      const slots = () => environment.readers().filter(({ pid }) => pid === pinnedOther.child.pid).length
      expect(slots()).toBeGreaterThan(0)
      expect(environment.clearStaleReaders()).toBeGreaterThan(0)
      expect(slots()).toBe(0)

      other.child.disconnect()
      await Promise.all([
        thread.worker.terminate(),
        pinnedThread.worker.terminate(),
        once(other.child, 'exit'),
      ])
      await environment.close()
    },
  )
})
