import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { GenesisError } from '../../chain/config/gethJson.ts'
import type { ChainConfig as ConfigMessage } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import type { ChainOverrides } from './chainProbe.ts'
import { DetectionError } from './detectionQueries.ts'

const blockMembers = [
  'homesteadBlock',
  'daoForkBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'muirGlacierBlock',
  'berlinBlock',
  'londonBlock',
  'arrowGlacierBlock',
  'grayGlacierBlock',
  'mergeNetsplitBlock',
] as const satisfies readonly (keyof ConfigMessage)[]

const timedForks = {
  shanghaiTime: 'shanghai',
  cancunTime: 'cancun',
  pragueTime: 'prague',
  osakaTime: 'osaka',
} as const satisfies Partial<Record<keyof ConfigMessage, Fork>>

const timeMembers = Object.keys(timedForks) as (keyof typeof timedForks)[] // its own keys

/** Returns whether a fork is set: an empty or a negative value means that it is not. */
const isSet = (text: string): boolean => /^\d+$/.test(text)

/** Converts the chain's fork message to the members of geth's config. */
const toGethConfig = (
  message: ConfigMessage,
  chainId: bigint,
  lastFork: Fork,
): Readonly<Record<string, unknown>> => ({
  chainId: chainId.toString(),
  ...Object.fromEntries(
    [...blockMembers, ...timeMembers.filter((member) => since(lastFork, timedForks[member]))].flatMap(
      (member) => (isSet(message[member]) ? [[member, message[member]]] : []),
    ),
  ),
  ...(message.daoForkSupport && isSet(message.daoForkBlock) ? { daoForkSupport: true } : {}),
  // Such a chain never had proof of work.
  terminalTotalDifficulty: '0',
})

export const parseForks = (source: unknown): ChainConfig => {
  try {
    return parseChainConfig(source)
  } catch (error) {
    if (!(error instanceof GenesisError)) throw error
    throw new DetectionError(
      `the forks of the chain are not understood (${error.message}): give them in geth's form as gateway.forks`,
    )
  }
}

/**
 * Parses the forks of the chain from its config message, up to the last one that its EVM has. Shanghai and Cancun by
 * block are not read: only messages of EVMs without these forks have them, and geth has them by time.
 */
export const parseForkMessage = (message: ConfigMessage, chainId: bigint, lastFork: Fork): ChainConfig =>
  parseForks(toGethConfig(message, chainId, lastFork))

/** Returns the config with the chain id that the operator configured, if there is one. */
export const withChainId = (config: ChainConfig, chainId: bigint | undefined): ChainConfig =>
  chainId === undefined || chainId === config.chainId
    ? config
    : { ...config, chainId, source: { ...config.source, chainId: chainId.toString() } }

/**
 * Returns the config if its chain id is the one that the chain tells; undefined or 0 if it tells none. With another one
 * nodes reject whatever is sent. The name of a chain is no such word: its EVM may have another id.
 */
export const withToldChainId = (
  config: ChainConfig,
  told: bigint | undefined,
  { evmChainId }: Pick<ChainOverrides, 'evmChainId'>,
): ChainConfig => {
  if (!told || told === config.chainId) return config
  const [setting, remedy] =
    evmChainId === undefined
      ? ['the file of gateway.forks', 'correct the file']
      : ['gateway.chain-id', 'leave gateway.chain-id out']
  throw new DetectionError(
    `${setting} has the chain id ${config.chainId}, and the nodes are of chain id ${told}: ${remedy}, or name nodes of the other chain`,
  )
}
