import { parentPort, workerData } from 'node:worker_threads'
import { type CreateSnapshotOptions, createSnapshot } from '../../../app/snapshot/create.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { parseChainConfig } from '../../../chain/config/chainConfig.ts'
import { setThreadNiceness } from '../../../execute/workers/priority.ts'
import { BlockStoreReader } from '../../../store/blockStoreReader.ts'

export interface SnapshotWorkerOptions extends CreateSnapshotOptions {
  /** The path of the data file. */
  readonly path: string
}

/**
 * The entry point of a thread that creates one snapshot at a low priority and ends. An exception becomes the worker's
 * error event.
 */
if (parentPort === null) throw new Error('snapshots are taken by a worker')
const { path, ...options } = workerData as SnapshotWorkerOptions
setThreadNiceness(10)

const create = async (): Promise<void> => {
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    const config = new BlockStoreReader(environment).meta.config()
    if (config === undefined) throw new Error('the chain has no configuration')
    await createSnapshot(environment, parseChainConfig(JSON.parse(config)), options)
  } finally {
    await environment.close()
  }
}

void create()
