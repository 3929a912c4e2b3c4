import { cosmosEvmPackage } from '../cosmos/transaction/dialect.ts'
import { cosmosModule } from './cosmosModule.ts'
import { parseCosmosEvmParams } from './detect/evmParams.ts'
import { moduleParametersReader } from './detect/moduleParameters.ts'
import type { Family } from './family.ts'

/** cosmos/evm 0.1 to 0.3: Ethermint's messages under the names of cosmos/evm. */
export const cosmosEvm01: Family = {
  ...cosmosModule,
  name: 'cosmos-evm-0.1',
  evmPackage: cosmosEvmPackage,
  detection: { by: 'release', releases: /^v(?:1\.0\.0-rc|0\.[1-3]\.\d)/ },
  readParameters: moduleParametersReader({
    parseParams: parseCosmosEvmParams,
    lastFork: 'prague',
    answersFromPruned: false,
  }),
  capabilities: {
    stateOverrides: false,
    callTraces: false,
    maxUsedGas: false,
    globalMinGasPrice: true,
    nonceGapQueue: false,
  },
  baseFeeScale: 'decimal',
  messageLayout: 'fields',
}
