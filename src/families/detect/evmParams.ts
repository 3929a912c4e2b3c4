import { type ChainConfig, QueryDenomsResponseSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { QueryParamsResponseSchema } from '../../cosmos/gen/ethermint/evm/v1/query_pb.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'
import type { StateWitness } from './detectionQueries.ts'

/** The parameters of an EVM module that a gateway needs. */
export interface EvmParams {
  /** The coin of the EVM; empty if the chain does not name it here. */
  readonly evmDenom: string
  /** The extension of a coin with fewer than 18 decimals. */
  readonly extendedDenom: string | undefined
  readonly chainConfig: ChainConfig | undefined
}

/**
 * Parses the response of `Params`; undefined if it has none, or is another message. The families have different fields
 * under the same numbers.
 */
export type ParamsParser = (response: Uint8Array) => EvmParams | undefined

/** For Ethermint and Evmos. */
export const parseEthermintParams: ParamsParser = (response) => {
  const params = decodeLargeMessage(QueryParamsResponseSchema, response)?.params
  return params && { evmDenom: params.evmDenom, extendedDenom: undefined, chainConfig: params.chainConfig }
}

/**
 * Returns the witness of a chain whose nodes answer at pruned heights from an empty state: no existing state is without
 * the name of its coin.
 */
export const createStateWitness = (evmPackage: string): StateWitness => ({
  path: `/${evmPackage}.Query/Params`,
  isKept: (response) => (parseEthermintParams(response)?.evmDenom ?? '') !== '',
})

/** For all releases of cosmos/evm, which report the forks by another query. */
export const parseCosmosEvmParams: ParamsParser = (response) => {
  const params = decodeLargeMessage(QueryDenomsResponseSchema, response)?.params
  return (
    params && {
      evmDenom: params.evmDenom,
      extendedDenom: params.extendedDenomOptions?.extendedDenom,
      chainConfig: undefined,
    }
  )
}
