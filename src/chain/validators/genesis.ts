import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { GenesisError } from '../config/gethJson.ts'
import type { GenesisAccount } from '../genesis/genesis.ts'
import { validatorContractAddress, validatorContractCode, validatorContractStorage } from './contract.ts'
import { parseValidatorConfig } from './validators.ts'

const where = `alloc.${toHex(validatorContractAddress)}`

/**
 * Adds the contract with the configured validators to the accounts of a genesis. A genesis that has the
 * contract already must have exactly this one, because its content must match the configuration.
 */
export const withValidatorContract = (
  config: ChainConfig,
  accounts: readonly GenesisAccount[],
): readonly GenesisAccount[] => {
  const validators = parseValidatorConfig(config.source)
  if (validators === undefined) return accounts
  const storage = validatorContractStorage(validators)
  const given = accounts.find(({ address }) => equalBytes(address, validatorContractAddress))
  if (given !== undefined) checkAccount(given, storage)
  const contract: GenesisAccount = {
    address: validatorContractAddress,
    balance: given?.balance ?? 0n,
    nonce: given?.nonce || 1n,
    code: validatorContractCode,
    storage,
  }
  return given === undefined
    ? [contract, ...accounts]
    : accounts.map((account) => (account === given ? contract : account))
}

/** Checks that an account can become the contract: it may only hold coins, or be the contract already. */
const checkAccount = ({ code, storage }: GenesisAccount, wanted: GenesisAccount['storage']): void => {
  if (code.length === 0 && storage.length === 0) return
  if (!equalBytes(code, validatorContractCode))
    throw new GenesisError(`${where}.code is not the contract of validators, to which this address belongs`)
  const left = new Map(storage.map(([slot, value]) => [toHex(slot), toHex(value)]))
  for (const [slot, value] of wanted) {
    const name = toHex(slot)
    if (left.get(name) !== toHex(value))
      throw new GenesisError(
        `${where}.storage.${name} is ${left.get(name) ?? 'missing'}, wanted ${toHex(value)} by config.perihelion`,
      )
    left.delete(name)
  }
  const [more] = left.keys()
  if (more !== undefined)
    throw new GenesisError(`${where}.storage.${more} is set, which config.perihelion does not ask for`)
}
