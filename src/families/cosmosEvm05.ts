import { cosmosEvmPackage } from '../cosmos/transaction/dialect.ts'
import { cosmosModule } from './cosmosModule.ts'
import { mayHaveAppMempool } from './detect/evmModule.ts'
import { parseCosmosEvmParams } from './detect/evmParams.ts'
import { moduleParametersReader } from './detect/moduleParameters.ts'
import type { Family } from './family.ts'

/** cosmos/evm 0.5 and 0.6: calls can be traced, and executed with state overrides. */
export const cosmosEvm05: Family = {
  ...cosmosModule,
  name: 'cosmos-evm-0.5',
  evmPackage: cosmosEvmPackage,
  detection: {
    by: 'queries',
    matches: async (chain) =>
      (await chain.hasEvmQuery('TraceCall')) && !mayHaveAppMempool(chain.status.version),
  },
  readParameters: moduleParametersReader({
    parseParams: parseCosmosEvmParams,
    lastFork: 'osaka',
    answersFromPruned: false,
  }),
  capabilities: {
    stateOverrides: true,
    callTraces: true,
    maxUsedGas: true,
    globalMinGasPrice: true,
    nonceGapQueue: true,
  },
  baseFeeScale: 'decimal',
  messageLayout: 'raw',
}
