import { parseChainConfig } from '../../src/chain/config/chainConfig.ts'
import type { Fork } from '../../src/chain/config/forks.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../src/chain/genesis/devGenesis.ts'
import type { Genesis } from '../../src/chain/genesis/genesis.ts'

/** Returns a dev genesis with the rules of one fork, the times of later ones, and the contracts of all. */
export const createForkGenesis = (
  options: Omit<DevGenesisOptions, 'fork'>,
  fork: Fork,
  later: Readonly<Record<string, number>>,
): Genesis => {
  const first = createDevGenesis({ ...options, fork })
  const { changes } = createDevGenesis({ ...options, fork: 'osaka' })
  return { ...first, changes, config: parseChainConfig({ ...first.config.source, ...later }) }
}
