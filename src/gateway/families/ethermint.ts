import { cosmosModule } from './cosmosModule.ts'
import type { Family } from './family.ts'

const evmPackage = 'ethermint.evm.v1'

/** Ethermint and Evmos: the oldest family, whose fee market computes with integers. */
export const ethermint: Family = {
  ...cosmosModule,
  name: 'ethermint',
  evmPackage,
  detection: {
    by: 'queries',
    matches: async (chain) => (await chain.evmModule()).evmPackage === evmPackage,
  },
  capabilities: {
    stateOverrides: false,
    callTraces: false,
    maxUsedGas: false,
    globalMinGasPrice: false,
    nonceGapQueue: false,
  },
  baseFeeScale: 'whole',
  messageLayout: 'fields',
}
