import { cosmosEvmPackage } from '../cosmos/transaction/dialect.ts'
import { cosmosModule } from './cosmosModule.ts'
import { parseCosmosEvmParams } from './detect/evmParams.ts'
import { moduleParametersReader } from './detect/moduleParameters.ts'
import type { Family } from './family.ts'

/** cosmos/evm 0.4: messages hold signed bytes, and the application has a mempool with a queue. */
export const cosmosEvm04: Family = {
  ...cosmosModule,
  name: 'cosmos-evm-0.4',
  evmPackage: cosmosEvmPackage,
  detection: { by: 'release', releases: /^v0\.4\.\d/ },
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
    nonceGapQueue: true,
  },
  baseFeeScale: 'decimal',
  messageLayout: 'raw',
}
