import { type BlobParameters, blobParametersOf } from './blobParameters.ts'
import { type Fork, forks } from './forks.ts'
import { GenesisError, type JsonObject, parseFixedBytes, parseInteger, parseObject } from './gethJson.ts'
import { type ChainLimits, parseLimits } from './limits.ts'

/** One activation of a chain's schedule: the change, and its block or time. */
export interface Activation {
  /** `homestead`, `bpo1`, …: geth's member without `Block` or `Time`. */
  readonly name: string
  /**
   * The fork; undefined for changes that `Fork` does not distinguish (glaciers, blob counts, the DAO fork).
   */
  readonly fork: Fork | undefined
  readonly by: 'block' | 'time'
  readonly at: bigint
  /** The blob parameters from this activation on. */
  readonly blobs: BlobParameters | undefined
}

/** A fork as the contract of a chain with validators schedules it. */
export interface ScheduledFork {
  readonly name: string
  /** Seconds since 1970; zero for what the chain began with. */
  readonly time: bigint
  /** The first version of this program that knows the fork, as the chain's admin named it; may be empty. */
  readonly version: string
}

/** A scheduled fork whose rules this version of the program has, and that cannot be applied to the chain. */
export interface InapplicableFork extends ScheduledFork {
  /** Why it cannot be applied. */
  readonly problem: string
}

export interface ChainConfig {
  readonly chainId: bigint
  /** The activations in the order in which they take effect. */
  readonly activations: readonly Activation[]
  readonly terminalTotalDifficulty: bigint | undefined
  readonly daoFork: { readonly block: bigint; readonly isSupported: boolean } | undefined
  /** The contract whose logs are deposits (EIP-6110). */
  readonly depositContract: Uint8Array | undefined
  readonly limits: ChainLimits
  /** The JSON object that was parsed. */
  readonly source: JsonObject
  /** The scheduled forks from the first on that this version of the program does not know; missing if there can be none. */
  readonly unknownForks?: readonly ScheduledFork[]
  /** The scheduled forks that have no effect, because they cannot be applied to the chain; missing if there can be none. */
  readonly inapplicableForks?: readonly InapplicableFork[]
  /** The first version that knows a fork, by its name, as the chain's admin said; missing if the chain does not say. */
  readonly forkVersions?: ReadonlyMap<string, string>
}

/** geth's members in the order of the schedule. */
const blockMembers: readonly (readonly [member: string, fork: Fork | undefined])[] = [
  ['homesteadBlock', 'homestead'],
  ['daoForkBlock', undefined],
  ['eip150Block', 'tangerineWhistle'],
  ['eip155Block', undefined],
  ['eip158Block', 'spuriousDragon'],
  ['byzantiumBlock', 'byzantium'],
  ['constantinopleBlock', 'constantinople'],
  ['petersburgBlock', 'petersburg'],
  ['istanbulBlock', 'istanbul'],
  ['muirGlacierBlock', undefined],
  ['berlinBlock', 'berlin'],
  ['londonBlock', 'london'],
  ['arrowGlacierBlock', undefined],
  ['grayGlacierBlock', undefined],
  ['mergeNetsplitBlock', 'paris'],
]

const timeMembers: readonly (readonly [member: string, fork: Fork | undefined])[] = [
  ['shanghaiTime', 'shanghai'],
  ['cancunTime', 'cancun'],
  ['pragueTime', 'prague'],
  ['osakaTime', 'osaka'],
  ['bpo1Time', undefined],
  ['bpo2Time', undefined],
  ['bpo3Time', undefined],
  ['bpo4Time', undefined],
  ['bpo5Time', undefined],
  // This program's own forks follow Ethereum's.
  ['fullBlocksTime', undefined],
]

/**
 * The rule changes of this program. They concern the entries of a proposal and their results, never the execution of an
 * Ethereum block, so they may begin before or after any fork of Ethereum.
 */
const ownForks: ReadonlySet<string> = new Set(['fullBlocks'])

/** Checks whether Ethereum defines this change of rules. */
export const isEthereumFork = ({ name }: Pick<Activation, 'name'>): boolean => !ownForks.has(name)

/** The members of `config` that mean something here or in geth. */
export const configMembers: ReadonlySet<string> = new Set([
  ...[...blockMembers, ...timeMembers].map(([member]) => member),
  ...['chainId', 'daoForkSupport', 'eip150Hash', 'terminalTotalDifficulty', 'terminalTotalDifficultyPassed'],
  ...['depositContractAddress', 'blobSchedule', 'ethash', 'clique', 'perihelion'],
])

/** Checks whether this program knows a change of rules of this name that begins at a time. */
export const isTimedFork = (name: string): boolean => timeMembers.some(([member]) => member === `${name}Time`)

const parseActivations = (config: JsonObject): Activation[] => {
  const read = (members: typeof blockMembers, by: 'block' | 'time'): Activation[] =>
    members.flatMap(([member, fork]) => {
      const at = parseInteger(config[member], `config.${member}`)
      const name = member.replace(/Block$|Time$/, '')
      return at === undefined ? [] : [{ name, fork, by, at, blobs: blobParametersOf(config, name) }]
    })
  return [...read(blockMembers, 'block'), ...read(timeMembers, 'time')]
}

/** Throws for a fork that this program does not know, because to ignore it would split the chain there. */
const rejectUnknown = (config: JsonObject): void => {
  const known = new Set([...blockMembers, ...timeMembers].map(([member]) => member))
  for (const [member, value] of Object.entries(config))
    if (/(?:Block|Time)$/.test(member) && !known.has(member) && value !== null)
      throw new GenesisError(`config.${member} names a fork that is not known here`)
}

const checkOrder = (activations: readonly Activation[]): void => {
  // The DAO fork and the merge may be at any block.
  const ordered = activations.filter(
    (activation) =>
      activation.name !== 'daoFork' && activation.name !== 'mergeNetsplit' && isEthereumFork(activation),
  )
  for (const [index, next] of ordered.entries()) {
    const before = ordered[index - 1]
    if (before && before.by === next.by && before.at > next.at)
      throw new GenesisError(`config has ${next.name} at ${next.at}, before ${before.name} at ${before.at}`)
  }
  const named = new Set(activations.map(({ fork }) => fork))
  const newest = activations.findLast(({ fork }) => fork !== undefined)?.fork ?? 'frontier'
  // Petersburg comes with Constantinople if it is not named; Paris is found by difficulty.
  for (const fork of forks.slice(1, forks.indexOf(newest)))
    if (!named.has(fork) && fork !== 'petersburg' && fork !== 'paris')
      throw new GenesisError(`config has ${newest}, but not ${fork} before it`)
}

/** Returns the activations in the order in which they take effect; only this program's own are not there already. */
const inOrder = (activations: readonly Activation[]): readonly Activation[] => [
  ...activations.filter(({ by }) => by === 'block'),
  ...activations
    .filter(({ by }) => by === 'time')
    .sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))),
]

/** Throws for a change of blob counts without Osaka before it, as geth does: Osaka could not be scheduled after it. */
export const requireOsakaBeforeBlobForks = (activations: readonly Activation[]): void => {
  const first = activations.find(({ name }) => name.startsWith('bpo'))
  if (first !== undefined && !activations.some(({ fork }) => fork === 'osaka'))
    throw new GenesisError(`config has ${first.name}, but not osaka before it`)
}

export const parseChainConfig = (value: unknown): ChainConfig => {
  const source = parseObject(value, 'config')
  rejectUnknown(source)
  const chainId = parseInteger(source.chainId, 'config.chainId')
  if (chainId === undefined) throw new GenesisError('config has no chainId')
  const members = parseActivations(source)
  checkOrder(members)
  const activations = inOrder(members)
  const at = (name: string) => activations.find((activation) => activation.name === name)?.at
  if (at('eip155') !== undefined && at('eip155') !== at('eip158'))
    throw new GenesisError('config has eip155Block and eip158Block at different blocks')
  const daoBlock = at('daoFork')
  return {
    chainId,
    activations,
    terminalTotalDifficulty: parseInteger(source.terminalTotalDifficulty, 'config.terminalTotalDifficulty'),
    daoFork:
      daoBlock === undefined ? undefined : { block: daoBlock, isSupported: source.daoForkSupport === true },
    depositContract: parseFixedBytes(source.depositContractAddress, 20, 'config.depositContractAddress'),
    limits: parseLimits(source),
    source,
  }
}

const isActive = ({ by, at }: Activation, number: bigint, time: bigint): boolean =>
  at <= (by === 'block' ? number : time)

/**
 * Returns the fork of a block. If the merge is defined by total difficulty, `isMerged` says whether the block
 * is after it; without `isMerged`, the config's `mergeNetsplitBlock` or a total difficulty of zero decides.
 */
export const forkAt = (config: ChainConfig, number: bigint, time: bigint, isMerged?: boolean): Fork => {
  let newest: Fork = 'frontier'
  for (const activation of config.activations) {
    const { fork, by } = activation
    if (fork === undefined || !isActive(activation, number, time)) continue
    if (fork === 'paris' && isMerged === false) continue
    // Times count from London on (geth's rule): before it, the time of a block does not affect its rules.
    if (by === 'time' && forks.indexOf(newest) < forks.indexOf('london')) continue
    newest = fork
  }
  if (newest === 'constantinople' && !config.activations.some(({ fork }) => fork === 'petersburg'))
    return 'petersburg'
  if (newest === 'london' && (isMerged ?? config.terminalTotalDifficulty === 0n)) return 'paris'
  return newest
}

/** What of a header decides by which rules its block was made. */
export interface BlockPosition {
  readonly number: bigint
  readonly timestamp: bigint
  readonly difficulty: bigint
}

/** Returns the fork of an existing block, whose difficulty is zero from the merge on. */
export const forkOfHeader = (config: ChainConfig, { number, timestamp, difficulty }: BlockPosition): Fork =>
  forkAt(config, number, timestamp, difficulty === 0n)

/** Returns the blob parameters at a time; undefined before Cancun. */
export const blobParametersAt = (config: ChainConfig, time: bigint): BlobParameters | undefined =>
  config.activations.findLast(({ blobs, by, at }) => blobs !== undefined && by === 'time' && at <= time)
    ?.blobs

/** Checks whether the proposals of blocks of this time are filled by the gas that is used (`fullBlocks`). */
export const hasFullBlocks = ({ activations }: Pick<ChainConfig, 'activations'>, time: bigint): boolean =>
  activations.some(({ name, at }) => name === 'fullBlocks' && at <= time)

/** Returns the first time after `time` at which the rules change; undefined if no change is scheduled. */
export const nextActivationTime = (config: ChainConfig, time: bigint): bigint | undefined =>
  config.activations
    .filter(({ by, at }) => by === 'time' && at > time)
    .reduce<bigint | undefined>(
      (first, { at }) => (first === undefined || at < first ? at : first),
      undefined,
    )
