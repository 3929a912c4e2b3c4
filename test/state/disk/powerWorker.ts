import { openSync, writeSync } from 'node:fs'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { changesAt } from './churn.ts'

/**
 * Commits so many blocks, and writes an acknowledgement for each to a file, which the library that records its writes
 * puts among them. `unsynced` leaves out the syncs, as a control.
 */
const [path, acks, blocks, mode] = process.argv.slice(2) as [string, string, string, 'right' | 'unsynced']
const file = openSync(acks, 'w')
const environment = new LmdbEnvironment({ path, minFreeBytes: 0, isDurable: mode === 'right' })
const store = new StateStore(environment, { pruning: 'everything' })
for (let height = 0; height < Number(blocks); height++) {
  const { root } = await store.commit(height, changesAt(height, 12))
  writeSync(file, `${height} ${Buffer.from(root).toString('hex')}\n`)
}
await environment.close()
