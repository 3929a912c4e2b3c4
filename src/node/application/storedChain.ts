import { compareStored } from '../../app/storedConflicts.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { changesSchedule, GenesisConflictError, type GivenChain } from '../../chain/genesis/conflicts.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { BlockStore } from '../../store/blockStore.ts'

export interface StoredParts {
  readonly environment: LmdbEnvironment
  readonly state: StateStore
  readonly blocks: BlockStore
}

/**
 * Returns the configuration of the stored chain. Throws a GenesisConflictError if it differs from what the operator
 * expects. A genesis file may change the start of forks that are not active yet, and the change is stored.
 */
export const openStoredChain = async (
  { environment, state, blocks }: StoredParts,
  given: GivenChain,
  readFile: (() => Genesis) | undefined,
): Promise<ChainConfig> => {
  const { config, wanted, conflicts } = compareStored({ state, blocks }, given, readFile?.())
  if (conflicts.length > 0) throw new GenesisConflictError(conflicts.join('; '))
  if (wanted === undefined || !changesSchedule(config, wanted)) return config
  await environment.transact(() => blocks.meta.setConfig(JSON.stringify(wanted.source)))
  return wanted
}
