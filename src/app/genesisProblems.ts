import type { ChainFindings } from '../chain/genesis/checks.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/host/evmModules.ts'
import { precompilesAt } from '../evm/precompiles/precompileTable.ts'
import { checkNewChain } from './chainCheck.ts'

/** Finds what a start would find wrong with a genesis that a chain is to begin with, at a time in seconds. */
export const findGenesisProblems = async (genesis: Genesis, now: bigint): Promise<ChainFindings> => {
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  return checkNewChain(genesis, evm, now)
}
