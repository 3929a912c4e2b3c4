import { create } from '@bufbuild/protobuf'
import { bech32 } from '@scure/base'
import {
  Bech32PrefixRequestSchema,
  Bech32PrefixResponseSchema,
} from '../../cosmos/gen/cosmos/auth/v1beta1/query_pb.ts'
import {
  type ChainConfig as ConfigMessage,
  QueryCosmosAccountRequestSchema,
  QueryCosmosAccountResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { type DetectionContext, DetectionError, queryOptional } from './detectionQueries.ts'
import type { EvmParams } from './evmParams.ts'

/** Detection of a chain's coin, address prefix and chain id. */

/** Matches ids of Ethermint chains, which contain the EVM's chain id: `evmos_9001-2`. */
const epochName = /^[a-z]+_([1-9][0-9]{0,18})-[1-9][0-9]*$/

/** Returns the EVM's chain id in the name of a chain, by which that of Ethermint is; undefined if there is none in it. */
export const chainIdOfName = (nativeChainId: string): bigint | undefined => {
  const [, id] = epochName.exec(nativeChainId) ?? []
  return id === undefined ? undefined : BigInt(id)
}

export const resolveEvmChainId = (config: ConfigMessage | undefined, nativeChainId: string): bigint => {
  if (config !== undefined && config.chainId > 0n) return config.chainId
  const named = chainIdOfName(nativeChainId)
  if (named !== undefined) return named
  throw new DetectionError(
    `the chain ${nativeChainId} does not tell its EVM chain id: give it as gateway.chain-id`,
  )
}

const maxDecimals = 18

export const parseDecimals = (config: ConfigMessage | undefined): number => {
  const decimals = Number(config?.decimals ?? 0n)
  if (decimals === 0) return maxDecimals
  if (decimals > maxDecimals)
    throw new DetectionError(`the chain's coin has ${decimals} decimals, and the EVM's has ${maxDecimals}`)
  return decimals
}

/**
 * Returns the coin in which fees are paid with 18 decimals: the coin itself, or the extension of one with fewer
 * decimals.
 */
export const resolveFeeDenom = (
  params: EvmParams,
  config: ConfigMessage | undefined,
  decimals: number,
): string => {
  const denom = decimals === maxDecimals ? params.evmDenom || config?.denom : params.extendedDenom
  if (denom) return denom
  throw new DetectionError(
    decimals === maxDecimals
      ? 'the chain does not name the coin of its EVM: give it as gateway.fee-denom'
      : `the chain's coin has ${decimals} decimals, and it does not name the one of 18 in which fees are paid: ` +
          'give it as gateway.fee-denom',
  )
}

const prefixOf = (address: string): string | undefined => bech32.decodeUnsafe(address, 120)?.prefix

export const detectBech32Prefix = async (context: DetectionContext, evmPackage: string): Promise<string> => {
  const config = await queryOptional(
    context,
    '/cosmos.auth.v1beta1.Query/Bech32Prefix',
    Bech32PrefixRequestSchema,
    Bech32PrefixResponseSchema,
  )
  if (config?.bech32Prefix) return config.bech32Prefix
  // Before SDK 0.46 no query has the prefix, but the module's responses contain addresses.
  const account = await queryOptional(
    context,
    `/${evmPackage}.Query/CosmosAccount`,
    QueryCosmosAccountRequestSchema,
    QueryCosmosAccountResponseSchema,
    create(QueryCosmosAccountRequestSchema, { address: `0x${'0'.repeat(39)}1` }),
  )
  const prefix = account && prefixOf(account.cosmosAddress)
  if (prefix !== undefined) return prefix
  throw new DetectionError(
    'the chain does not tell how its addresses begin: give it as gateway.bech32-prefix',
  )
}
