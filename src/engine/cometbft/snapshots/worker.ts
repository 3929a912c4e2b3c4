import { parentPort, workerData } from 'node:worker_threads'
import { type MakeSnapshotOptions, makeSnapshot } from '../../../app/snapshot/maker.ts'
import { LmdbEnvironment } from '../../../base/lmdb.ts'
import { parseChainConfig } from '../../../chain/config/chainConfig.ts'
import { yieldToOthers } from '../../../execute/workers/priority.ts'
import { BlockReader } from '../../../store/blockReader.ts'

export interface SnapshotWork extends MakeSnapshotOptions {
  /** The data file. */
  readonly path: string
}

/** Makes one snapshot, at a lower priority than everything else, and ends; what it throws is the worker's error. */
if (parentPort === null) throw new Error('snapshots are taken by a worker')
const { path, ...options } = workerData as SnapshotWork
yieldToOthers()
const environment = new LmdbEnvironment({ path, readOnly: true })
try {
  const config = new BlockReader(environment).meta.config()
  if (config === undefined) throw new Error('the chain has no configuration')
  await makeSnapshot(environment, parseChainConfig(JSON.parse(config)), options)
} finally {
  await environment.close()
}
