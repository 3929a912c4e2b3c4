import { genesisOfChain } from '../../app/genesisHash.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import { beginningWith } from '../../chain/genesis/beginning.ts'
import {
  changesSchedule,
  findConflicts,
  GenesisConflictError,
  type GivenChain,
} from '../../chain/genesis/conflicts.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { readForkSchedule } from '../../chain/validators/schedule.ts'
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
  const config = parseChainConfig(JSON.parse(blocks.meta.config() ?? '{}'))
  const firstNumber = blocks.meta.first()
  const first = blocks.header(firstNumber)
  const last = blocks.head()
  const genesisHash = blocks.meta.genesisHash()
  if (first === undefined || last === undefined || genesisHash === undefined)
    throw new Error('the chain has no first block')
  const head = blocks.header(last.number) ?? first
  const firstState = state.oldest === firstNumber ? state.reader(firstNumber) : undefined
  const file = readFile?.()
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
  if (conflicts.length > 0) throw new GenesisConflictError(conflicts.join('; '))
  if (wanted === undefined || !changesSchedule(config, wanted.config)) return config
  await environment.transact(() => blocks.meta.setConfig(JSON.stringify(wanted.config.source)))
  return wanted.config
}
