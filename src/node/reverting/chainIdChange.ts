import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { LiveChainConfig } from '../../chain/config/liveConfig.ts'
import type { AppThread } from '../application/thread.ts'
import type { ForkHost } from '../fork/forkHost.ts'
import type { HeadFollowers, HeadTracker } from '../head/headTracker.ts'
import type { OpenExecution } from '../opening/openExecution.ts'
import type { HeadWitness } from '../reading/headWitness.ts'

interface ChainIdChangeDependencies {
  readonly app: AppThread
  readonly environment: LmdbEnvironment
  readonly config: LiveChainConfig
  readonly execution: OpenExecution
  readonly fork: ForkHost | undefined
  readonly tracker: HeadTracker
  readonly followers: HeadFollowers
  readonly witness: () => HeadWitness | undefined
}

/** Returns what gives the chain another chain id on all threads, and for other processes that serve it. */
export const createChainIdChange = (dependencies: ChainIdChangeDependencies) => {
  const { app, environment, config, execution, fork, tracker, followers, witness } = dependencies
  return async (chainId: bigint): Promise<void> => {
    await witness()?.beforeRevert()
    try {
      const text = await app.setChainId(chainId)
      witness()?.onReset()
      environment.refresh()
      config.replace(parseChainConfig(JSON.parse(text)))
      const changed = { config: text, fork: fork?.threadOptions }
      for (const pool of [execution.workers, execution.traceWorkers]) pool.replaceThreads(changed)
    } finally {
      // Also tells the witness of the head, which it has not served since.
      tracker.refresh([], followers)
    }
  }
}
