import type { Given, GivenBeginning } from '../../chain/genesis/beginning.ts'
import type { GivenChain } from '../../chain/genesis/conflicts.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config, SettingName } from '../../config/settings/settings.ts'
import { keyToAddress } from '../../keystore/wallets/knownKeys.ts'
import type { DevKeys } from './devAccounts.ts'

type IfGiven = <T>(name: SettingName, value: T) => Given<T> | undefined

const createIfGiven =
  (given: LoadedConfig['given']): IfGiven =>
  (name, value) => {
    const where = given.get(name)
    return where === undefined ? undefined : { value, where }
  }

/** Returns what the user's settings say about how a chain begins. */
export const givenBeginning = (config: Config, given: LoadedConfig['given']): GivenBeginning => {
  const ifGiven = createIfGiven(given)
  return {
    forkName: ifGiven('fork-name', config.forkName),
    codeSize: ifGiven('genesis-code-size', config.genesisCodeSize),
    transactionGas: ifGiven('genesis-transaction-gas', config.genesisTransactionGas),
    gasLimit: ifGiven('genesis-gas-limit', config.genesisGasLimit),
    baseFee: ifGiven('genesis-base-fee', config.genesisBaseFee),
    time: ifGiven('genesis-time', config.genesisTime),
  }
}

/** Returns what the user's settings say about the chain of the home. */
export const givenChain = (config: Config, given: LoadedConfig['given'], keys: DevKeys): GivenChain => {
  const ifGiven = createIfGiven(given)
  return {
    ...givenBeginning(config, given),
    chainId: ifGiven('chain-id', config.chainId),
    genesis: ifGiven('genesis', config.genesis ?? ''),
    accounts: ifGiven('accounts', config.accounts),
    mnemonic: ifGiven('mnemonic', undefined),
    balance: ifGiven('balance', config.balance),
    addresses: keys.all.map(keyToAddress),
  }
}
