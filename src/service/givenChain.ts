import { privateKeyToAddress } from '../base/crypto.ts'
import type { Given, GivenChain } from '../chain/genesis/conflicts.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Config, SettingName } from '../config/settings.ts'
import type { DevKeys } from './devAccounts.ts'

/** Returns what the user's settings say about the chain of the home. */
export const givenChain = (config: Config, given: LoadedConfig['given'], keys: DevKeys): GivenChain => {
  const ifGiven = <T>(name: SettingName, value: T): Given<T> | undefined => {
    const where = given.get(name)
    return where === undefined ? undefined : { value, where }
  }
  return {
    chainId: ifGiven('chain-id', config.chainId),
    genesis: ifGiven('genesis', config.genesis ?? ''),
    forkName: ifGiven('fork-name', config.forkName),
    accounts: ifGiven('accounts', config.accounts),
    mnemonic: ifGiven('mnemonic', undefined),
    balance: ifGiven('balance', config.balance),
    codeSize: ifGiven('genesis-code-size', config.genesisCodeSize),
    transactionGas: ifGiven('genesis-transaction-gas', config.genesisTransactionGas),
    addresses: keys.all.map(privateKeyToAddress),
  }
}
