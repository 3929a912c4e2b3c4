import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DamagedFileError } from '../../base/lmdb/file/damage.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { ResourceStack } from '../../base/resources.ts'
import { CallIndexStore } from '../../store/calls/callIndexStore.ts'
import { CallIndexer, type CallIndexerDependencies, type CallIndexerOptions } from '../calls/callIndexer.ts'

export interface CallIndexOptions extends CallIndexerOptions {
  /** The folder for the chain's data. */
  readonly folder: string
  readonly isEphemeral: boolean
  readonly minFreeBytes: number
}

/** Opens the index of calls beside the chain and begins to fill it. */
export const openCallIndex = (
  options: CallIndexOptions,
  dependencies: Omit<CallIndexerDependencies, 'index'>,
  resources: ResourceStack,
): CallIndexStore => {
  const index = new CallIndexStore(openEnvironment(options, dependencies))
  resources.own('index of calls', () => index.close())
  const indexer = new CallIndexer(options, { ...dependencies, index })
  resources.own('indexer of calls', () => indexer.stop())
  indexer.start()
  return index
}

/** Opens the file. A damaged file is removed: it can be built again. */
const openEnvironment = (
  { folder, isEphemeral, minFreeBytes }: CallIndexOptions,
  { log }: Pick<CallIndexerDependencies, 'log'>,
): LmdbEnvironment => {
  const path = join(folder, 'calls.mdb')
  const open = (): LmdbEnvironment => new LmdbEnvironment({ path, isDurable: !isEphemeral, minFreeBytes })
  try {
    return open()
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error
    log.warn({ err: error }, 'the index of calls is damaged and is built again')
    rmSync(path, { force: true })
    rmSync(`${path}-lock`, { force: true })
    return open()
  }
}
