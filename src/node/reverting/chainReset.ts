import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { refused, unsupported } from '../../chain/chainError.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { LiveChainConfig } from '../../chain/config/liveConfig.ts'
import type { EngineContext } from '../../engine/engine.ts'
import type { Fork } from '../../fork/fork.ts'
import type { TransactionSubmitter } from '../../pool/admission/transactionSubmitter.ts'
import type { ChainEvents } from '../../served/chainEvents.ts'
import type { PruningMode } from '../../state/history/prune.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { GenesisSource } from '../application/service.ts'
import type { AppThread } from '../application/thread.ts'
import { type ForkHost, toThreadOptions } from '../fork/forkHost.ts'
import type { HeadFollowers, HeadTracker } from '../head/headTracker.ts'
import type { OpenExecution } from '../opening/openExecution.ts'
import { readConfig } from '../opening/openStore.ts'
import type { HeadWitness } from '../reading/headWitness.ts'
import type { RevertWatch } from './revertWatch.ts'

interface ChainResetDependencies {
  /** The remote chain; undefined if the chain cannot be forked. */
  readonly fork: ForkHost | undefined
  /** How a chain of its own begins. */
  readonly genesis: GenesisSource
  readonly pruning: PruningMode
  readonly app: AppThread
  readonly environment: LmdbEnvironment
  readonly blocks: BlockStoreReader
  readonly config: LiveChainConfig
  readonly execution: OpenExecution
  readonly intake: Pick<TransactionSubmitter, 'forgetIncluded'>
  readonly events: ChainEvents
  readonly tracker: HeadTracker
  readonly followers: HeadFollowers
  readonly reverts: RevertWatch
  readonly witness: () => HeadWitness | undefined
  /** Tells the witness of the head of now. */
  readonly tellWitness: () => void
}

/** Returns what begins another chain in the place of this one: of its own, or forked from a remote one. */
export const createReset = (dependencies: ChainResetDependencies): EngineContext['prepareReset'] => {
  const { fork, genesis, pruning, app, environment, blocks, config, execution } = dependencies
  const { intake, events, tracker, followers, reverts, witness, tellWitness } = dependencies
  const beginAnew = async (fork: ForkHost, next: Fork | undefined): Promise<void> => {
    const notify = await events.prepareRevert(tracker.number, next?.number ?? 0)
    let head = tracker.head
    const begin = async (): Promise<void> => {
      await witness()?.beforeRevert()
      intake.forgetIncluded()
      if (next !== undefined) await app.moveToThread(fork.serve)
      const letReadsGoOn = environment.holdReads()
      try {
        head = await app.reset(
          next === undefined ? genesis : fork.toGenesis(next),
          next && toThreadOptions(next),
        )
      } finally {
        letReadsGoOn()
      }
      witness()?.onReset()
      environment.refresh()
      const text = readConfig(blocks)
      config.replace(parseChainConfig(JSON.parse(text)))
      const changed = { config: text, fork: next && toThreadOptions(next) }
      for (const pool of [execution.workers, execution.traceWorkers]) pool.replaceThreads(changed)
    }
    try {
      await fork.change(next, begin, () => tracker.restart(head, followers, notify))
    } catch (error) {
      tellWitness()
      throw error
    }
  }
  return async (target, signal) => {
    if (fork === undefined) throw unsupported('this chain cannot be forked from a remote one')
    if (target.kind === 'fork' && pruning !== 'archive')
      throw refused(
        `a chain with pruning ${pruning} cannot be forked, because its record of deletions must be kept: start the node with --pruning=archive`,
      )
    const next = await fork.openTarget(target, signal)
    return {
      leave: () => fork.leave(),
      run: () => reverts.watch(() => beginAnew(fork, next)),
      end: () => fork.endReset(next),
    }
  }
}
