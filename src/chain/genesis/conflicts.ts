import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Activation, ChainConfig } from '../config/chainConfig.ts'
import { findBlobDifference } from '../config/rulesHash.ts'
import { type Beginning, findBeginningConflicts, type Given, type GivenBeginning } from './beginning.ts'

/** The error for settings that contradict the chain of a home; the message has a line for each. */
export class GenesisConflictError extends Error {
  override readonly name = 'GenesisConflictError'
}

/** The chain as the operator's settings describe it. */
export interface GivenChain extends GivenBeginning {
  readonly chainId?: Given<bigint> | undefined
  /** The path of the genesis file. The accounts are those of a dev genesis and are ignored if there is a file. */
  readonly genesis?: Given<string> | undefined
  /** The number of accounts that were funded. */
  readonly accounts?: Given<number> | undefined
  /** The mnemonic of the accounts that were funded. */
  readonly mnemonic?: Given<undefined> | undefined
  /** The balance of each account, in whole coins. */
  readonly balance?: Given<bigint> | undefined
  /** The accounts of the mnemonic in their order, at least one more than were funded. */
  readonly addresses?: readonly Uint8Array[]
}

/** The chain of a home, with the parts that are compared. */
export interface StoredChain {
  readonly config: ChainConfig
  readonly genesisHash: Uint8Array
  readonly beginning: Beginning
  readonly head: { readonly number: bigint; readonly timestamp: bigint }
  /** Whether the chain holds its fork schedule itself; its file then says only how it began. */
  readonly hasForkSchedule: boolean
  /**
   * Returns the balance of an account after the first block; undefined if it had none. The function is
   * undefined if that state is pruned.
   */
  readonly firstBalance: ((address: Uint8Array) => bigint | undefined) | undefined
}

/** The chain that a genesis file defines. */
export interface WantedChain {
  readonly config: ChainConfig
  readonly genesisHash: Uint8Array
}

const coin = 10n ** 18n

const conflict = (
  name: string,
  got: string,
  where: string,
  stored: string,
  advice = 'leave it out',
): string =>
  `${name}: got ${got} (${where}), but the chain of this home ${stored}: ${advice}, or use another --home`

/**
 * Returns a line for each setting that contradicts the stored chain. `wanted` is the chain of the genesis
 * file.
 */
export const findConflicts = (
  given: GivenChain,
  stored: StoredChain,
  wanted: WantedChain | undefined,
): readonly string[] => [
  ...findChainIdConflict(given, stored),
  ...findBeginningConflicts(given, stored.beginning).map(({ name, got, where, began }) =>
    conflict(name, got, where, `began with ${began}`),
  ),
  ...(given.genesis === undefined || wanted === undefined
    ? findDevConflicts(given, stored)
    : findGenesisConflict(given.genesis, stored, wanted)),
]

const findChainIdConflict = ({ chainId }: GivenChain, { config }: StoredChain): readonly string[] =>
  chainId === undefined || chainId.value === config.chainId
    ? []
    : [conflict('chain-id', `${chainId.value}`, chainId.where, `has ${config.chainId}`)]

/** What of a stored chain a genesis file must agree with. */
type StoredRules = Pick<StoredChain, 'config' | 'genesisHash' | 'head' | 'hasForkSchedule'>

/** Returns a line if the genesis file is not that of the stored chain. */
export const findGenesisConflict = (
  { value: path, where }: Given<string>,
  stored: StoredRules,
  wanted: WantedChain,
): readonly string[] => {
  const difference = findDifference(stored, wanted)
  return difference === undefined
    ? []
    : [conflict('genesis', path, where, difference, 'give the file that it began with')]
}

/**
 * Returns the first difference between the chain of a genesis file and the stored one, as text that follows
 * "the chain of this home".
 */
const findDifference = (stored: StoredRules, wanted: WantedChain): string | undefined => {
  const { config, genesisHash } = stored
  if (config.chainId !== wanted.config.chainId)
    return `has the chain id ${config.chainId} and not ${wanted.config.chainId}`
  const changes = changedActivations(config, wanted.config)
  const [first] = changes
  // With validators the first block commits to the schedule, so that another one is another chain.
  if (stored.hasForkSchedule && first !== undefined)
    return `has ${first.name} ${describe(first.before)} and not ${describe(first.after)}, and the admin of its validators alone can change it (docs/operations.md, "Forks of a living chain")`
  // So are other figures for a fork that the admin may schedule later.
  const blobs = stored.hasForkSchedule ? findBlobDifference(config, wanted.config) : undefined
  if (blobs !== undefined)
    return `has the blob figures ${blobs.figures[0]} for ${blobs.name} (target/max/baseFeeUpdateFraction) and not ${blobs.figures[1]}, which all its validators must have alike`
  if (!equalBytes(genesisHash, wanted.genesisHash))
    return `began with block ${toHex(genesisHash)} and not ${toHex(wanted.genesisHash)}`
  for (const { name, before, after } of changes)
    if (![before, after].every((activation) => isAhead(activation, stored.head)))
      return `has ${name} ${describe(before)} and not ${describe(after)}, which is mistimed: only what is ahead may change, rewind to ${rewindPoint(before, after)}`
  const changed = otherRules.find((read) => read(config) !== read(wanted.config))
  return changed && `has ${changed(config)} and not ${changed(wanted.config)}`
}

/** The rules beside the schedule that no later start may change. */
const otherRules: readonly ((config: ChainConfig) => string)[] = [
  ({ terminalTotalDifficulty }) => `a terminal total difficulty of ${terminalTotalDifficulty ?? 'none'}`,
  ({ daoFork }) => `a DAO fork that is ${daoFork?.isSupported ? 'supported' : 'not supported'}`,
  ({ depositContract }) =>
    `the deposit contract ${depositContract === undefined ? 'none' : toHex(depositContract)}`,
  ({ source }) => `the rules ${JSON.stringify(source.perihelion) ?? 'none'} in config.perihelion`,
]

interface ChangedActivation {
  readonly name: string
  readonly before: Activation | undefined
  readonly after: Activation | undefined
}

/** Returns the entries in which two schedules differ; one of a pair may be missing. */
const changedActivations = (one: ChainConfig, other: ChainConfig): readonly ChangedActivation[] => {
  const names = new Set([...one.activations, ...other.activations].map(({ name }) => name))
  const find = ({ activations }: ChainConfig, name: string): Activation | undefined =>
    activations.find((activation) => activation.name === name)
  return [...names]
    .map((name) => ({ name, before: find(one, name), after: find(other, name) }))
    .filter(({ before, after }) => describe(before) !== describe(after))
}

/** Checks whether a genesis file that does not contradict the stored chain changes its future activations. */
export const changesSchedule = (stored: ChainConfig, wanted: ChainConfig): boolean =>
  changedActivations(stored, wanted).length > 0

const describe = (activation: Activation | undefined): string => {
  if (activation === undefined) return 'nowhere'
  const { by, at, blobs } = activation
  const counts = blobs && ` with blobs ${blobs.target}/${blobs.max}/${blobs.baseFeeUpdateFraction}`
  return `at ${by} ${at}${counts ?? ''}`
}

/** Returns the last block or time before both, as geth's CheckCompatible does. */
const rewindPoint = (before: Activation | undefined, after: Activation | undefined): string => {
  const [first] = [before, after]
    .filter((activation) => activation !== undefined)
    .sort((one, other) => (one.at < other.at ? -1 : 1))
  if (first === undefined) return 'the first block'
  return `${first.by === 'block' ? 'block' : 'timestamp'} ${first.at > 0n ? first.at - 1n : 0n}`
}

const isAhead = (activation: Activation | undefined, head: StoredChain['head']): boolean =>
  activation === undefined || activation.at > (activation.by === 'block' ? head.number : head.timestamp)

const findDevConflicts = (
  { accounts, mnemonic, balance, addresses = [] }: GivenChain,
  { firstBalance }: StoredChain,
): readonly string[] => {
  const conflicts: string[] = []
  // If the first state is pruned, its accounts cannot be compared.
  const [first] = addresses
  if (firstBalance === undefined || first === undefined) return conflicts
  const firstCoins = firstBalance(first)
  if (firstCoins === undefined) {
    // With the accounts of another mnemonic, their number and balance cannot be compared.
    if (mnemonic !== undefined && accounts?.value !== 0)
      conflicts.push(conflict('mnemonic', '(not shown)', mnemonic.where, 'did not begin with its accounts'))
    return conflicts
  }
  const unfunded = addresses.findIndex((address) => firstBalance(address) === undefined)
  if (accounts !== undefined && unfunded !== accounts.value) {
    const count = unfunded < 0 ? `more than ${addresses.length - 1}` : unfunded
    conflicts.push(conflict('accounts', `${accounts.value}`, accounts.where, `began with ${count}`))
  }
  if (balance !== undefined && balance.value * coin !== firstCoins)
    conflicts.push(conflict('balance', `${balance.value}`, balance.where, `began with ${firstCoins / coin}`))
  return conflicts
}
