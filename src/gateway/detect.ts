import type { ChainConfig } from '../chain/config/chainConfig.ts'
import { parseExactJson } from '../chain/config/gethJson.ts'
import { evmDenom } from '../cosmos/denom.ts'
import {
  QueryConfigRequestSchema,
  QueryConfigResponseSchema,
} from '../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { perihelionQueries } from '../cosmos/queries/perihelionQueries.ts'
import type { NativeQueries } from './client/nativeQueries.ts'
import { type Asking, ask, askOwnNode, DetectionError } from './detect/ask.ts'
import {
  cosmosPackage,
  type EvmModule,
  familyOf,
  findModule,
  hasOwnMempool,
  isOwnChain,
} from './detect/family.ts'
import { forksOf, parseForks } from './detect/forks.ts'
import { earliestStateOf } from './detect/heights.ts'
import { bech32PrefixOf, decimalsOf, evmChainIdOf, feeDenomOf } from './detect/names.ts'
import type { ChainFacts, Family } from './facts.ts'

/** What CometBFT's `status` says that matters here. */
export interface DetectionStatus {
  /** The name of the chain. */
  readonly network: string
  /** Of CometBFT. */
  readonly version: string
  readonly earliestHeight: number
  readonly latestHeight: number
}

/** What an operator says of the chain; it is not asked for then. */
export interface ChainOverrides {
  readonly family?: Family | undefined
  readonly evmChainId?: bigint | undefined
  /** geth's `config` object. */
  readonly forks?: unknown
  readonly feeDenom?: string | undefined
  readonly decimals?: number | undefined
  readonly bech32Prefix?: string | undefined
  readonly evmPackage?: string | undefined
  readonly feemarketPackage?: string | undefined
  readonly earliestBlock?: number | undefined
  readonly earliestState?: number | undefined
  readonly hasOwnMempool?: boolean | undefined
}

const withChainId = (config: ChainConfig, chainId: bigint | undefined): ChainConfig =>
  chainId === undefined || chainId === config.chainId
    ? config
    : { ...config, chainId, source: { ...config.source, chainId: chainId.toString() } }

/** The forks of our own chain are those of its genesis. */
const ownForks = async (asking: Asking): Promise<ChainConfig> => {
  const { config } = await askOwnNode(asking, perihelionQueries.genesis)
  return parseForks(jsonOf(config))
}

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return parseExactJson(Buffer.from(bytes).toString('utf8'))
  } catch {
    throw new DetectionError("the node's genesis is not JSON")
  }
}

/** What a family has of its own. */
type Detected = Pick<ChainFacts, 'config' | 'feeDenom' | 'decimals' | 'evmPackage'>

const detectOwn = async (asking: Asking, overrides: ChainOverrides): Promise<Detected> => ({
  config: withChainId(
    overrides.forks === undefined ? await ownForks(asking) : parseForks(overrides.forks),
    overrides.evmChainId,
  ),
  feeDenom: overrides.feeDenom ?? evmDenom,
  decimals: overrides.decimals ?? 18,
  evmPackage: overrides.evmPackage ?? cosmosPackage,
})

const detectForeign = async (
  asking: Asking,
  module: EvmModule,
  nativeChainId: string,
  overrides: ChainOverrides,
): Promise<Detected> => {
  const { evmPackage, params } = module
  const path = `/${evmPackage}.Query/Config`
  const answer = await ask(asking, path, QueryConfigRequestSchema, QueryConfigResponseSchema)
  const message = answer?.config ?? params.chainConfig
  const decimals = overrides.decimals ?? decimalsOf(message)
  const config = (): ChainConfig => {
    if (overrides.forks !== undefined) return withChainId(parseForks(overrides.forks), overrides.evmChainId)
    if (message === undefined)
      throw new DetectionError('the chain does not tell its forks: give them as gateway.forks')
    return forksOf(message, overrides.evmChainId ?? evmChainIdOf(message, nativeChainId))
  }
  return {
    config: config(),
    feeDenom: overrides.feeDenom ?? feeDenomOf(module, message, decimals),
    decimals,
    evmPackage,
  }
}

/** The state of its genesis counts there, which no height of the engine names. */
const ownEarliestState = async (asking: Asking): Promise<number> =>
  Number((await askOwnNode(asking, perihelionQueries.status)).oldestState)

const feemarketOf = (evmPackage: string): string =>
  evmPackage.replace(/\.evm\.(?:vm\.)?v1$/, (tail) =>
    tail === '.evm.vm.v1' ? '.evm.feemarket.v1' : '.feemarket.v1',
  )

/** Finds out what a chain is, by asking it; what is named by hand is not asked for. Throws a DetectionError. */
export const detectChain = async (
  queries: NativeQueries,
  status: DetectionStatus,
  overrides: ChainOverrides,
  signal: AbortSignal,
): Promise<ChainFacts> => {
  const asking: Asking = { queries, signal }
  const isOwn = overrides.family === undefined ? await isOwnChain(asking) : overrides.family === 'perihelion'
  const module = isOwn ? undefined : await findModule(asking, overrides.evmPackage)
  const detected = module
    ? await detectForeign(asking, module, status.network, overrides)
    : await detectOwn(asking, overrides)
  const family = overrides.family ?? (module ? await familyOf(asking, module, status.version) : 'perihelion')
  const { evmPackage } = detected
  return {
    ...detected,
    family,
    nativeChainId: status.network,
    bech32Prefix: overrides.bech32Prefix ?? (await bech32PrefixOf(asking, evmPackage)),
    feemarketPackage: overrides.feemarketPackage ?? feemarketOf(evmPackage),
    earliestBlock: overrides.earliestBlock ?? status.earliestHeight,
    earliestState:
      overrides.earliestState ??
      (isOwn ? await ownEarliestState(asking) : await earliestStateOf(asking, evmPackage, status)),
    hasOwnMempool: overrides.hasOwnMempool ?? (!isOwn && hasOwnMempool(status.version)),
  }
}
