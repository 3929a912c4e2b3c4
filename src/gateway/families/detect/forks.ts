import { type Activation, type ChainConfig, parseChainConfig } from '../../../chain/config/chainConfig.ts'
import { GenesisError } from '../../../chain/config/gethJson.ts'
import type { ChainConfig as ConfigMessage } from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
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

const timeMembers = [
  'shanghaiTime',
  'cancunTime',
  'pragueTime',
  'osakaTime',
] as const satisfies readonly (keyof ConfigMessage)[]

/** Returns whether a fork is set: an empty or a negative value means that it is not. */
const isSet = (text: string): boolean => /^\d+$/.test(text)

/** Converts the chain's fork message to the members of geth's config. */
const toGethConfig = (message: ConfigMessage, chainId: bigint): Readonly<Record<string, unknown>> => ({
  chainId: chainId.toString(),
  ...Object.fromEntries(
    [...blockMembers, ...timeMembers].flatMap((member) =>
      isSet(message[member]) ? [[member, message[member]]] : [],
    ),
  ),
  ...(message.daoForkSupport && isSet(message.daoForkBlock) ? { daoForkSupport: true } : {}),
  // Such a chain never had proof of work.
  terminalTotalDifficulty: '0',
})

/** Returns the later forks of Ethermint, which activate at blocks, for which geth's config has no members. */
const laterBlocks = (message: ConfigMessage): Activation[] =>
  (
    [
      ['shanghai', message.shanghaiBlock],
      ['cancun', message.cancunBlock],
    ] as const
  ).flatMap(([fork, at]): Activation[] =>
    isSet(at) ? [{ name: fork, fork, by: 'block', at: BigInt(at), blobs: undefined }] : [],
  )

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

/** Parses the forks of the chain from its config message. */
export const parseForkMessage = (message: ConfigMessage, chainId: bigint): ChainConfig => {
  const config = parseForks(toGethConfig(message, chainId))
  const later = laterBlocks(message).filter(({ name }) =>
    config.activations.every((known) => known.name !== name),
  )
  return later.length === 0 ? config : { ...config, activations: [...config.activations, ...later] }
}

/** Returns the config with the chain id that the operator configured, if there is one. */
export const withChainId = (config: ChainConfig, chainId: bigint | undefined): ChainConfig =>
  chainId === undefined || chainId === config.chainId
    ? config
    : { ...config, chainId, source: { ...config.source, chainId: chainId.toString() } }
