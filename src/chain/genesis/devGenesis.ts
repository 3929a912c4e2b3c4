import { emptyBytes } from '../../base/encoding/bytes.ts'
import { type ChainConfig, parseChainConfig } from '../config/chainConfig.ts'
import { type Fork, forkIndex, since } from '../config/forks.ts'
import type { JsonObject } from '../config/gethJson.ts'
import { type ChainLimits, describeLimits, ethereumLimits } from '../config/limits.ts'
import { systemContracts } from '../config/systemContracts.ts'
import { createGenesis, defaultForkFields, emptyBody, type Genesis } from './genesis.ts'

export interface DevGenesisOptions {
  readonly chainId: bigint
  readonly accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[]
  readonly coinbase: Uint8Array
  /** The time of the first block, in seconds. */
  readonly timestamp: bigint
  /** The fork whose rules apply from block zero on. */
  readonly fork?: Fork
  readonly gasLimit?: bigint
  /** The base fee in wei, for a fork that has one. */
  readonly baseFee?: bigint
  /** `config.perihelion`: the validators, for an engine with more than one node. */
  readonly validators?: JsonObject | undefined
  /** The limits; Ethereum's if missing. */
  readonly limits?: ChainLimits
}

const defaultGasLimit = 60_000_000n
const defaultBaseFee = 1_000_000_000n

/** geth's members, in the order of `forks` without Frontier and Paris. */
const members: readonly (readonly [fork: Fork, ...names: string[]])[] = [
  ['homestead', 'homesteadBlock'],
  ['tangerineWhistle', 'eip150Block'],
  ['spuriousDragon', 'eip155Block', 'eip158Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
  ['shanghai', 'shanghaiTime'],
  ['cancun', 'cancunTime'],
  ['prague', 'pragueTime'],
  ['osaka', 'osakaTime'],
]

/** Returns the configuration of a chain that has the rules of one fork from its first block on. */
export const configFor = (chainId: bigint, fork: Fork, perihelion?: JsonObject): ChainConfig => {
  const source: Record<string, unknown> = {
    chainId: chainId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(chainId) : chainId.toString(),
  }
  for (const [active, ...names] of members)
    if (since(fork, active)) for (const name of names) source[name] = 0
  // Constantinople alone: Petersburg comes with it unless it is named for later, which no block reaches.
  if (fork === 'constantinople') source.petersburgBlock = Number.MAX_SAFE_INTEGER
  // Blocks are sealed by the engine whatever the fork; the rules of the merge apply only if the fork has
  // them.
  if (forkIndex(fork) >= forkIndex('paris')) source.terminalTotalDifficulty = 0
  // Only the blocks of a chain with validators come from proposals.
  if (perihelion?.validators !== undefined || perihelion?.admin !== undefined) source.fullBlocksTime = 0
  if (perihelion !== undefined) source.perihelion = perihelion
  return parseChainConfig(source)
}

/** Returns `config.perihelion`; undefined if there is nothing to say. */
export const perihelionMember = (
  validators: JsonObject | undefined,
  limits: ChainLimits,
): JsonObject | undefined => {
  const differing = describeLimits(limits)
  return differing === undefined ? validators : { ...validators, limits: differing }
}

/** Creates the genesis that `start` uses for an empty home. */
export const createDevGenesis = ({
  chainId,
  accounts,
  coinbase,
  timestamp,
  fork = 'osaka',
  gasLimit = defaultGasLimit,
  baseFee = defaultBaseFee,
  validators,
  limits = ethereumLimits,
}: DevGenesisOptions): Genesis => {
  const config = configFor(chainId, fork, perihelionMember(validators, limits))
  const contracts = Object.values(systemContracts).filter((contract) => since(fork, contract.since))
  return createGenesis(
    config,
    [
      ...contracts.map(({ address, code }) => ({ address, balance: 0n, nonce: 1n, code, storage: [] })),
      ...accounts.map((account) => ({ ...account, nonce: 0n, code: emptyBytes, storage: [] })),
    ],
    {
      parentHash: new Uint8Array(32),
      ...emptyBody,
      beneficiary: coinbase,
      difficulty: 0n,
      number: 0n,
      gasLimit,
      gasUsed: 0n,
      timestamp,
      extraData: emptyBytes,
      mixHash: new Uint8Array(32),
      nonce: new Uint8Array(8),
      ...defaultForkFields(config, 0n, timestamp, { baseFeePerGas: baseFee }),
    },
  )
}
