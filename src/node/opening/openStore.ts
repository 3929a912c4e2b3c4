import type { Worker } from 'node:worker_threads'
import type { AppHead } from '../../app/appHead.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { ResourceStack } from '../../base/resources.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import { createLiveConfig, type LiveChainConfig } from '../../chain/config/liveConfig.ts'
import { followSchedule } from '../../chain/validators/schedule.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { AppOptions } from '../application/service.ts'
import type { AppThread } from '../application/thread.ts'
import type { ForkHost } from '../fork/forkHost.ts'

/** Starts the thread of the application; the function is called with the worker, if there is one. */
export type StartApplication = (options: AppOptions, onWorker?: (worker: Worker) => void) => AppThread

/** The store of a chain. The application thread writes it, this thread reads it. */
export interface OpenStore {
  readonly app: AppThread
  /** The head of the chain when it was opened. */
  readonly head: AppHead
  /** Whether the chain was created by this start. */
  readonly isNew: boolean
  /** What the operator should know about the chain's rules before they take effect. */
  readonly warnings: readonly string[]
  readonly environment: LmdbEnvironment
  readonly state: StateStore
  readonly blocks: BlockStoreReader
  readonly config: LiveChainConfig
  /** The configuration as JSON, for other threads. */
  readonly configText: string
}

/** Opens the chain of a data file, or creates one. */
export const openStore = async (
  options: AppOptions,
  startApplication: StartApplication,
  resources: ResourceStack,
  fork?: ForkHost,
): Promise<OpenStore> => {
  const app = startApplication(options, fork?.serve)
  // A thread that cannot open the chain would keep the process alive.
  resources.own('thread of the application', () => app.terminate())
  const { isNew, warnings, ...head } = await app.open()
  resources.own('application', () => app.close())
  // The thread creates all tables when it opens the store, so it goes first.
  const environment = new LmdbEnvironment({ path: options.path, readOnly: true })
  resources.own('store', () => environment.close())
  const state = new StateStore(environment, { fork: fork?.source })
  const blocks = new BlockStoreReader(environment)
  const configText = readConfig(blocks)
  const config = createLiveConfig(parseChainConfig(JSON.parse(configText)))
  // While a snapshot is being restored there is a block without its state.
  if (state.head !== undefined) followSchedule(config, state.reader(Number(head.header.number)))
  return { app, head, isNew, warnings, environment, state, blocks, config, configText }
}

/** Returns the configuration of the stored chain as JSON. */
export const readConfig = (blocks: BlockStoreReader): string => {
  const text = blocks.meta.config()
  if (text === undefined) throw new Error('the chain has no configuration')
  return text
}
