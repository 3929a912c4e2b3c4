import type { ChainConfig } from '../../../chain/config/chainConfig.ts'
import {
  QueryConfigRequestSchema,
  QueryConfigResponseSchema,
} from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import type { ChainParameters } from '../family.ts'
import { parseDecimals, resolveEvmChainId, resolveFeeDenom } from './chainParameters.ts'
import type { ChainProbe } from './chainProbe.ts'
import { DetectionError, queryOptional } from './detectionQueries.ts'
import { mayHaveAppMempool } from './evmModule.ts'
import { parseForkMessage, parseForks, withChainId } from './forks.ts'
import { detectEarliestState } from './heights.ts'

/** Queries the parameters of a chain with an EVM module. */
export const readModuleParameters = async (chain: ChainProbe): Promise<ChainParameters> => {
  const { context, status, overrides } = chain
  const module = await chain.evmModule()
  const { evmPackage, params } = module
  const path = `/${evmPackage}.Query/Config`
  const answer = await queryOptional(context, path, QueryConfigRequestSchema, QueryConfigResponseSchema)
  const message = answer?.config ?? params.chainConfig
  const decimals = overrides.decimals ?? parseDecimals(message)
  const config = (): ChainConfig => {
    if (overrides.forks !== undefined) return withChainId(parseForks(overrides.forks), overrides.evmChainId)
    if (message === undefined)
      throw new DetectionError('the chain does not tell its forks: give them as gateway.forks')
    return parseForkMessage(message, overrides.evmChainId ?? resolveEvmChainId(message, status.network))
  }
  return {
    config: config(),
    feeDenom: overrides.feeDenom ?? resolveFeeDenom(module, message, decimals),
    decimals,
    evmPackage,
    earliestState: overrides.earliestState ?? (await detectEarliestState(context, evmPackage, status)),
    hasAppMempool: overrides.hasAppMempool ?? mayHaveAppMempool(status.version),
  }
}
