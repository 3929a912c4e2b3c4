import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { GenesisError } from '../config/gethJson.ts'
import {
  validatorContractAddress,
  validatorContractCode,
  validatorContractStorage,
} from '../validators/contract.ts'
import {
  rulesSlot,
  scheduleContractAddress,
  scheduleContractCode,
  scheduleContractStorage,
} from '../validators/schedule.ts'
import { parseValidatorConfig } from '../validators/validatorConfig.ts'
import type { GenesisAccount } from './genesisAccount.ts'

interface ContractOfChain {
  /** What the contract is called in messages. */
  readonly what: string
  readonly address: Uint8Array
  readonly code: Uint8Array
  readonly storage: GenesisAccount['storage']
}

/**
 * Adds the contracts of a chain with validators to the accounts of its genesis: that of the configured validators and
 * that of the fork schedule. A genesis that has one of them already must have exactly this one, because its content must
 * match the configuration. A genesis with the contract of validators alone is from before there was a schedule, and stays
 * without: its forks are those of its file. One whose schedule does not commit to the other rules is from before it did,
 * and stays so too; `commitsToRules` says whether one without the contracts is of now.
 */
export const withValidatorContracts = (
  config: ChainConfig,
  accounts: readonly GenesisAccount[],
  commitsToRules = true,
): readonly GenesisAccount[] => {
  const validators = parseValidatorConfig(config.source)
  if (validators === undefined) return accounts
  const at = (address: Uint8Array): GenesisAccount | undefined =>
    accounts.find((account) => equalBytes(account.address, address) && account.code.length > 0)
  const schedule = at(scheduleContractAddress)
  const isOlder = at(validatorContractAddress) !== undefined && schedule === undefined
  const hasRules = schedule?.storage.some(([slot]) => equalBytes(slot, rulesSlot)) ?? commitsToRules
  const set = withContract(accounts, {
    what: 'the contract of validators',
    address: validatorContractAddress,
    code: validatorContractCode,
    storage: validatorContractStorage(validators),
  })
  if (isOlder) return set
  return withContract(set, {
    what: 'the contract of the fork schedule',
    address: scheduleContractAddress,
    code: scheduleContractCode,
    storage: scheduleContractStorage(config, hasRules),
  })
}

const withContract = (
  accounts: readonly GenesisAccount[],
  contract: ContractOfChain,
): readonly GenesisAccount[] => {
  const { address, code, storage } = contract
  const given = accounts.find((account) => equalBytes(account.address, address))
  if (given !== undefined) checkAccount(given, contract)
  const account: GenesisAccount = {
    address,
    balance: given?.balance ?? 0n,
    nonce: given?.nonce || 1n,
    code,
    storage,
  }
  return given === undefined
    ? [account, ...accounts]
    : accounts.map((other) => (other === given ? account : other))
}

const remedy = `to begin a new chain with this config, remove ${toHex(validatorContractAddress)} and ${toHex(scheduleContractAddress)} from alloc: they are made from config`

/** Checks that an account can become the contract: it may only hold coins, or be the contract already. */
const checkAccount = ({ code, storage }: GenesisAccount, wanted: ContractOfChain): void => {
  if (code.length === 0 && storage.length === 0) return
  const where = `alloc.${toHex(wanted.address)}`
  if (!equalBytes(code, wanted.code))
    throw new GenesisError(`${where}.code is not ${wanted.what}, to which this address belongs`)
  const left = new Map(storage.map(([slot, value]) => [toHex(slot), toHex(value)]))
  for (const [slot, value] of wanted.storage) {
    const name = toHex(slot)
    if (left.get(name) !== toHex(value))
      throw new GenesisError(
        equalBytes(slot, rulesSlot)
          ? `${where} was made for other rules than those of config (blobSchedule, depositContractAddress, forks by block): ${remedy}`
          : `${where}.storage.${name} is ${left.get(name) ?? 'missing'}, wanted ${toHex(value)} by config: ${remedy}`,
      )
    left.delete(name)
  }
  const [more] = left.keys()
  if (more !== undefined)
    throw new GenesisError(`${where}.storage.${more} is set, which config does not ask for: ${remedy}`)
}
