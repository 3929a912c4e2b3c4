import { badConfig } from '../../base/exit.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { Config } from '../../config/settings/settings.ts'

/** Throws an ExitError for a genesis with which an engine cannot begin a chain. */
export const assertUsableGenesis = async (genesis: Genesis, engine: Config['engine']): Promise<void> => {
  if (engine === 'cometbft') {
    const { checkGenesisConfig } = await import('../../engine/cometbft/prepare.ts')
    checkGenesisConfig(genesis.config.source)
  }
  const { findGenesisProblems } = await import('../../app/genesisProblems.ts')
  const { problems } = await findGenesisProblems(genesis, BigInt(Math.floor(Date.now() / 1000)))
  if (problems.length > 0) throw badConfig(`genesis: ${problems.join('; ')}`)
}
