import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import {
  QueryConfigRequestSchema,
  QueryConfigResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import type { ChainParameters } from '../family.ts'
import { chainIdOfName, parseDecimals, resolveEvmChainId, resolveFeeDenom } from './chainParameters.ts'
import type { ChainProbe } from './chainProbe.ts'
import { DetectionError, queryOptional } from './detectionQueries.ts'
import { mayHaveAppMempool } from './evmModule.ts'
import { createStateWitness, type ParamsParser } from './evmParams.ts'
import { parseForkMessage, parseForks, withChainId, withToldChainId } from './forks.ts'
import { detectEarliestState } from './heights.ts'

/** The EVM module of a family. */
export interface ModuleRules {
  readonly parseParams: ParamsParser
  /**
   * The last fork that the EVM of the family's nodes has. Chains report forks that their EVM does not know, because
   * their parameters have a place for them.
   */
  readonly lastFork: Fork
  /** Whether nodes answer at pruned heights from an empty state instead of rejecting. */
  readonly answersFromPruned: boolean
}

/** Returns a function that queries the parameters of a chain with such an EVM module. */
export const moduleParametersReader =
  ({ parseParams, lastFork, answersFromPruned }: ModuleRules) =>
  async (chain: ChainProbe): Promise<ChainParameters> => {
    const { context, status, overrides } = chain
    const { evmPackage, params: response } = await chain.evmModule()
    const params = parseParams(response)
    if (params === undefined)
      throw new DetectionError(
        `the node's response to /${evmPackage}.Query/Params is not understood: is gateway.family the right one?`,
      )
    const path = `/${evmPackage}.Query/Config`
    const answer = await queryOptional(context, path, QueryConfigRequestSchema, QueryConfigResponseSchema)
    const message = answer?.config ?? params.chainConfig
    const decimals = overrides.decimals ?? parseDecimals(message)
    const config = (): ChainConfig => {
      if (overrides.forks !== undefined) return withChainId(parseForks(overrides.forks), overrides.evmChainId)
      if (message === undefined)
        throw new DetectionError('the chain does not tell its forks: give them as gateway.forks')
      const chainId = overrides.evmChainId ?? resolveEvmChainId(message, status.network)
      return parseForkMessage(message, chainId, lastFork)
    }
    const named = message?.chainId ? undefined : chainIdOfName(status.network)
    if (named !== undefined && overrides.evmChainId !== undefined && overrides.evmChainId !== named)
      context.log?.warn(
        { configured: String(overrides.evmChainId), named: String(named) },
        'gateway.chain-id is not the chain id in the name of the chain: if it is wrong, nodes reject all transactions',
      )
    // A chain that does not name its coin here has no witness.
    const needsStateWitness = answersFromPruned && params.evmDenom !== ''
    if (needsStateWitness) context.queries.witnessState?.(createStateWitness(evmPackage))
    return {
      config: withToldChainId(config(), message?.chainId, overrides),
      needsStateWitness,
      feeDenom: overrides.feeDenom ?? resolveFeeDenom(params, message, decimals),
      decimals,
      evmPackage,
      earliestState: overrides.earliestState ?? (await detectEarliestState(context, evmPackage, status)),
      hasAppMempool: overrides.hasAppMempool ?? mayHaveAppMempool(status.version),
    }
  }
