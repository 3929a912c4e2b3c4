import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Header } from '../block/header.ts'
import type { Activation, ChainConfig } from '../config/chainConfig.ts'
import { type Fork, forkIndex } from '../config/forks.ts'
import { precompileAddressesAt } from '../config/precompiles.ts'
import { type SystemContract, systemContracts } from '../config/systemContracts.ts'
import { type EvmStateReader, emptyCodeHash } from '../state/evmState.ts'
import { transferGas } from '../transaction/intrinsicGas.ts'

/** What is wrong with a chain that this program is to make blocks for. */
export interface ChainFindings {
  /** The reasons why the chain cannot work, each with its remedy. */
  readonly problems: readonly string[]
  /** What works, but hardly as it is meant. */
  readonly warnings: readonly string[]
}

/** The error for a new chain that could not work. */
export class UnusableGenesisError extends Error {
  override readonly name = 'UnusableGenesisError'
}

/** geth's limit (params.MaxGasLimit). */
const maxGasLimit = 2n ** 63n - 1n
/** The end of the year 9999, the last that the engines' times can express. */
const maxTimestamp = 253_402_300_799n

const usedContracts = [
  { eip: 'EIP-4788', contract: systemContracts.beaconRoots, isRequired: false },
  { eip: 'EIP-2935', contract: systemContracts.historyStorage, isRequired: false },
  { eip: 'EIP-7002', contract: systemContracts.withdrawalRequests, isRequired: true },
  { eip: 'EIP-7251', contract: systemContracts.consolidationRequests, isRequired: true },
] as const

const hasCode = (state: Pick<EvmStateReader, 'account'>, address: Uint8Array): boolean => {
  const codeHash = state.account(address)?.codeHash
  return codeHash !== undefined && !equalBytes(codeHash, emptyCodeHash)
}

/** Returns the contract as a member of a genesis file's `alloc`. */
const allocText = ({ address, code }: SystemContract): string =>
  `"${toHex(address)}":{"balance":"0x0","nonce":"0x1","code":"${toHex(code)}"}`

const newestFork = ({ activations }: ChainConfig): Fork =>
  activations.reduce<Fork>(
    (newest, { fork }) => (fork !== undefined && forkIndex(fork) > forkIndex(newest) ? fork : newest),
    'frontier',
  )

/** Where the chain stands: the number and time of the block that is made next. */
export interface NextBlock {
  readonly number: bigint
  readonly timestamp: bigint
}

export const isActiveAt = ({ by, at }: Activation, { number, timestamp }: NextBlock): boolean =>
  at <= (by === 'block' ? number : timestamp)

/**
 * Returns the system contracts that a scheduled fork uses and the state does not have. Without those that make requests
 * (EIP-7002, EIP-7251) the fork has no valid block; calls to the others then do nothing, as in geth. What a later fork
 * needs can still be deployed.
 */
export const findMissingContracts = (
  { activations }: Pick<ChainConfig, 'activations'>,
  state: Pick<EvmStateReader, 'account'>,
  next: NextBlock,
): ChainFindings => {
  const problems: string[] = []
  const warnings: string[] = []
  for (const { eip, contract, isRequired } of usedContracts) {
    const activation = activations.find(
      ({ fork }) => fork !== undefined && forkIndex(fork) >= forkIndex(contract.since),
    )
    if (activation === undefined || hasCode(state, contract.address)) continue
    const { by, name, at } = activation
    const member = `${name}${by === 'time' ? 'Time' : 'Block'}`
    const isNow = isActiveAt(activation, next)
    const remedy = `${isNow ? 'add' : `deploy it before (${eip} has the transaction), or for a new chain add`} to alloc: ${allocText(contract)}`
    const text = `${member} is ${at}, but the contract of ${eip} is missing; ${remedy}`
    if (!isRequired) warnings.push(`${contract.since} lacks a part: ${text}`)
    else (isNow ? problems : warnings).push(`no block can be made with ${contract.since}: ${text}`)
  }
  return { problems, warnings }
}

/** How many seconds a clock may be behind those of others. */
const clockTolerance = 60n

/** Checks the time of a new chain's first block, which may be meant for a start to come, or be a mistake. */
export const findTimeWarnings = (timestamp: bigint, now: bigint): readonly string[] =>
  timestamp > now + clockTolerance && timestamp <= maxTimestamp
    ? [
        `timestamp is ${timestamp}, ${timestamp - now} seconds ahead of the clock of this computer: every block will be later than that`,
      ]
    : []

/** Checks the values of a new chain's first block with which no engine could go on. */
export const checkFirstBlock = (
  config: ChainConfig,
  { gasLimit, timestamp }: Pick<Header, 'gasLimit' | 'timestamp'>,
  state: Pick<EvmStateReader, 'account'>,
  next: NextBlock,
): ChainFindings => {
  const problems: string[] = []
  if (gasLimit < transferGas)
    problems.push(`gasLimit is ${gasLimit}, and no transaction needs less than ${transferGas}: raise it`)
  if (gasLimit > maxGasLimit) problems.push(`gasLimit is ${gasLimit}: at most ${maxGasLimit} is possible`)
  if (timestamp > maxTimestamp)
    problems.push(`timestamp is ${timestamp}, after the year 9999: give seconds, not milliseconds`)
  const deposits = checkDepositContract(config, state)
  const contracts = findMissingContracts(config, state, next)
  return {
    problems: [...problems, ...deposits.problems, ...contracts.problems],
    warnings: [...deposits.warnings, ...contracts.warnings],
  }
}

const checkDepositContract = (config: ChainConfig, state: Pick<EvmStateReader, 'account'>): ChainFindings => {
  const { depositContract: address } = config
  const newest = newestFork(config)
  // geth's files have the zero address where there are no deposits.
  if (address === undefined || address.every((byte) => byte === 0) || forkIndex(newest) < forkIndex('prague'))
    return { problems: [], warnings: [] }
  const where = `depositContractAddress is ${toHex(address)}`
  const isPrecompile = precompileAddressesAt(newest).some((one) => BigInt(toHex(address)) === BigInt(one))
  const isSystem = Object.values(systemContracts).some((contract) => equalBytes(contract.address, address))
  if (isPrecompile || isSystem)
    return {
      problems: [
        `${where}, which is ${isPrecompile ? 'a precompile' : 'a system contract'}: name the deposit contract, or leave the member out`,
      ],
      warnings: [],
    }
  return hasCode(state, address)
    ? { problems: [], warnings: [] }
    : { problems: [], warnings: [`${where}, but alloc has no code there: no deposit can be made`] }
}
