import { cosmosModule } from './cosmosModule.ts'
import { parseEthermintParams } from './detect/evmParams.ts'
import { moduleParametersReader } from './detect/moduleParameters.ts'
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
  // Its EVM is that of geth 1.10.26.
  readParameters: moduleParametersReader({
    parseParams: parseEthermintParams,
    lastFork: 'paris',
    answersFromPruned: true,
  }),
  capabilities: {
    stateOverrides: false,
    callTraces: false,
    maxUsedGas: false,
    globalMinGasPrice: false,
    nonceGapQueue: false,
  },
  // Such a call sees the time of the node's newest block, whatever its height is.
  isFinalResponse: (path, response) =>
    !/\.Query\/(?:EthCall|EstimateGas)$/.test(path) && cosmosModule.isFinalResponse(path, response),
  baseFeeScale: 'whole',
  messageLayout: 'fields',
}
