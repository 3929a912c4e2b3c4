import { renderNewGenesis } from '../../src/app/export/genesis.ts'
import type { Fork } from '../../src/chain/config/forks.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../src/chain/genesis/devGenesis.ts'
import { type Genesis, parseGenesis } from '../../src/chain/genesis/genesis.ts'

/** Returns a dev genesis with the rules of one fork, the times of later ones, and the contracts of all. */
export const createForkGenesis = (
  options: Omit<DevGenesisOptions, 'fork'>,
  fork: Fork,
  later: Readonly<Record<string, number>>,
): Genesis => parseGenesis(renderForkGenesis(options, fork, later))

/** Returns the file of that genesis. */
export const renderForkGenesis = (
  options: Omit<DevGenesisOptions, 'fork'>,
  fork: Fork,
  later: Readonly<Record<string, number>>,
): string => {
  // The contracts of a chain with validators are made from the config, so this file is to have none.
  const latest = createDevGenesis({ ...options, fork: 'osaka', validators: undefined })
  const { source } = createDevGenesis({ ...options, fork }).config
  return JSON.stringify({ ...JSON.parse(renderNewGenesis(latest)), config: { ...source, ...later } })
}
