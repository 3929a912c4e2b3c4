import type { ChainLimits } from '../../chain/config/limits.ts'
import type { Config } from '../../config/settings/settings.ts'

/** Returns the limits that a new dev chain gets. */
export const toChainLimits = ({ genesisCodeSize, genesisTransactionGas }: Config): ChainLimits => ({
  codeSize: genesisCodeSize,
  transactionGas: genesisTransactionGas,
})
