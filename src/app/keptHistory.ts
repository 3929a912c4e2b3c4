import { checkDataFile } from '../base/lmdb/file/check.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { dataFile, hasChainFile } from '../home/layout.ts'
import { type PruningMode, pruningModes } from '../state/history/prune.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { tableNames } from '../store/tables/chainTables.ts'
import { openState } from './dataCheck.ts'

/** A store that is this far behind what it should keep was just pruned: steps are made together. */
const usualBacklog = 256

/** Returns how many of the newest states a mode keeps; undefined if all are. */
export const retainedStates = (mode: PruningMode): number | undefined =>
  mode === 'archive' ? undefined : pruningModes[mode]

/** One kind of history, and how much of it a start keeps. */
export interface RetainedHistory {
  /** The oldest height that is there; undefined if there is none. */
  readonly oldest: number | undefined
  readonly head: number
  /** How many of the newest are kept; undefined if all are. */
  readonly retained: number | undefined
}

/** Returns the heights that go; undefined if none do, or no more than a running node is behind. */
export const findRemoved = ({
  oldest,
  head,
  retained,
}: RetainedHistory): { readonly from: number; readonly to: number } | undefined => {
  if (oldest === undefined || retained === undefined) return undefined
  const keptFrom = head - retained + 1
  return keptFrom - oldest <= usualBacklog ? undefined : { from: oldest, to: keptFrom - 1 }
}

/** The history that a home has. */
export interface KeptHistory {
  readonly head: number
  /** Undefined where there are no states, as in the home of a gateway. */
  readonly oldestState: number | undefined
  readonly oldestBody: number
}

/**
 * Reads which history a home has; undefined if there is none, or the file is damaged: opening it tells why. A node may run
 * on it.
 */
export const readKeptHistory = async (home: string): Promise<KeptHistory | undefined> => {
  const path = dataFile(home)
  if (!hasChainFile(home) || checkDataFile(path, { maxPages: 0 }).problems.length > 0) return undefined
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    if (!environment.hasTable(tableNames.meta)) return undefined
    const blocks = new BlockStoreReader(environment)
    const head = blocks.head()?.number
    if (head === undefined) return undefined
    return { head, oldestState: openState(environment)?.oldest, oldestBody: blocks.meta.oldestBody() }
  } catch {
    return undefined
  } finally {
    await environment.close()
  }
}
