import { checkDataFile } from '../base/lmdb/file/check.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { type ChainConfig, parseChainConfig } from '../chain/config/chainConfig.ts'
import { beginningWith } from '../chain/genesis/beginning.ts'
import { findConflicts, type GivenChain } from '../chain/genesis/conflicts.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { readForkSchedule } from '../chain/validators/schedule.ts'
import { dataFile } from '../home/layout.ts'
import type { StateStore } from '../state/stateStore.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { tableNames } from '../store/tables/chainTables.ts'
import { openState } from './dataCheck.ts'
import { genesisOfChain } from './genesisHash.ts'

export interface StoredTables {
  readonly state: StateStore
  readonly blocks: BlockStoreReader
}

export interface ComparedChain {
  readonly config: ChainConfig
  /** The rules of the genesis file; undefined if none is compared. */
  readonly wanted: ChainConfig | undefined
  /** A line for each setting that contradicts the chain. */
  readonly conflicts: readonly string[]
}

/** Compares a stored chain with what the operator expects of it. */
export const compareStored = (
  { state, blocks }: StoredTables,
  given: GivenChain,
  file: Genesis | undefined,
): ComparedChain => {
  const config = parseChainConfig(JSON.parse(blocks.meta.config() ?? '{}'))
  const firstNumber = blocks.meta.first()
  const first = blocks.header(firstNumber)
  const last = blocks.head()
  const genesisHash = blocks.meta.genesisHash()
  if (first === undefined || last === undefined || genesisHash === undefined)
    throw new Error('the chain has no first block')
  const head = blocks.header(last.number) ?? first
  const firstState = state.oldest === firstNumber ? state.reader(firstNumber) : undefined
  const wanted = file && { config: file.config, genesisHash: genesisOfChain(file, genesisHash).hash }
  const hasForkSchedule =
    state.head !== undefined && readForkSchedule(config, state.reader(last.number)) !== undefined
  const conflicts = findConflicts(
    given,
    {
      config,
      genesisHash,
      beginning: beginningWith(config, first, blocks.meta.fork() !== undefined),
      head,
      hasForkSchedule,
      firstBalance: firstState && ((address) => firstState.account(address)?.balance),
    },
    wanted,
  )
  return { config, wanted: wanted?.config, conflicts }
}

/**
 * Finds what of the settings contradicts the chain of a home, without opening it to write. Nothing is found for no chain or a
 * damaged one, which opening it tells, nor for one that is forked, whose first state is partly with its remote. A node may run
 * on it.
 */
export const findStoredConflicts = async (
  home: string,
  given: GivenChain,
  file: Genesis | undefined,
): Promise<readonly string[]> => {
  const path = dataFile(home)
  if (checkDataFile(path, { maxPages: 0 }).problems.length > 0) return []
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    if (!environment.hasTable(tableNames.meta)) return []
    const blocks = new BlockStoreReader(environment)
    const state = openState(environment)
    if (state === undefined || blocks.head() === undefined || blocks.meta.fork() !== undefined) return []
    return compareStored({ state, blocks }, given, file).conflicts
  } catch {
    // The file is damaged further on. The start reports that when it opens the chain.
    return []
  } finally {
    await environment.close()
  }
}
