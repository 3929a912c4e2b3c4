import { checkNewChain } from '../app/chainCheck.ts'
import type { ChainFindings } from '../chain/genesis/checks.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/modules.ts'
import { precompilesAt } from '../evm/precompiles/table.ts'

/** Finds what a start would find wrong with a genesis that a chain is to begin with now. */
export const findGenesisProblems = async (genesis: Genesis): Promise<ChainFindings> => {
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  return checkNewChain(genesis, evm, BigInt(Math.floor(Date.now() / 1000)))
}
