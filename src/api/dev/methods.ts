import { devAccountMethods } from './accounts.ts'
import { devChainMethods } from './chain.ts'
import { devContractMethods } from './contracts.ts'
import { devDumpMethods } from './dump.ts'
import { devInfoMethods } from './info.ts'
import { devMiningMethods } from './mining.ts'
import { stackTraceMethods } from './stackTraces.ts'
import { devStateMethods } from './state.ts'
import { devTimeMethods } from './time.ts'
import { unsupportedDevMethods } from './unsupported.ts'

/** The methods of chains for development: those of anvil, and what Hardhat and ganache have beside them. */
export const devMethods = [
  ...devMiningMethods,
  ...devTimeMethods,
  ...devStateMethods,
  ...devChainMethods,
  ...devAccountMethods,
  ...devDumpMethods,
  ...devInfoMethods,
  ...devContractMethods,
  ...stackTraceMethods,
  ...unsupportedDevMethods,
]
