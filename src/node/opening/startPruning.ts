import type { Logger } from '../../base/logging/log.ts'
import type { ResourceStack } from '../../base/resources.ts'
import type { Events } from '../../chain/port/events.ts'
import { BlockPruner } from '../../store/blockPruner.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { AppThread } from '../application/thread.ts'

export interface PruningDependencies {
  /** The only writer. */
  readonly app: Pick<AppThread, 'pruneBlocks'>
  readonly blocks: BlockStoreReader
  readonly events: Pick<Events, 'onHead'>
  readonly head: () => number
  readonly log: Logger
}

/** Prunes the blocks behind the head from now on. */
export const startPruning = (
  retainedBlocks: number,
  { app, blocks, events, head, log }: PruningDependencies,
  resources: ResourceStack,
): void => {
  const pruner = new BlockPruner(
    { retainedBlocks },
    {
      head,
      oldest: () => blocks.meta.oldestBody(),
      prune: (height) => app.pruneBlocks(height),
      log,
    },
  )
  const unlisten = events.onHead(() => pruner.wake())
  resources.own('pruner of blocks', () => {
    unlisten()
    return pruner.stop()
  })
  pruner.wake()
}
