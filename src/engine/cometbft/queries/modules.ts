import { bech32Prefix, evmDenom } from '../../../cosmos/denom.ts'
import {
  Bech32PrefixRequestSchema,
  Bech32PrefixResponseSchema,
} from '../../../cosmos/gen/cosmos/auth/v1beta1/query_pb.ts'
import {
  ConfigRequestSchema,
  ConfigResponseSchema,
  StatusRequestSchema,
  StatusResponseSchema,
} from '../../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import {
  QueryBaseFeeRequestSchema,
  QueryBaseFeeResponseSchema,
  QueryBlockGasRequestSchema,
  QueryBlockGasResponseSchema,
  QueryParamsRequestSchema,
  QueryParamsResponseSchema,
} from '../../../cosmos/gen/cosmos/evm/feemarket/v1/query_pb.ts'
import { createQuery, headerAtContext, type QueryRoutes, withPrefix } from './query.ts'

/** Returns a decimal fraction of the SDK, an integer times 10^18. */
const decimal = (value: bigint): string => (value * 10n ** 18n).toString()

/** The parameters of EIP-1559, which no setting of the chain changes. */
const baseFeeRule = { baseFeeChangeDenominator: 8, elasticityMultiplier: 2 } as const

/**
 * The queries of the fee market module. It has Ethereum's rule, with neither a minimum gas price nor a minimum gas
 * multiplier.
 */
const feemarket = withPrefix('/cosmos.evm.feemarket.v1.Query', {
  Params: createQuery(QueryParamsRequestSchema, QueryParamsResponseSchema, (_, context) => {
    const { baseFeePerGas } = headerAtContext(context)
    return {
      params: {
        ...baseFeeRule,
        noBaseFee: baseFeePerGas === undefined,
        baseFee: decimal(baseFeePerGas ?? 0n),
        minGasPrice: '0',
        minGasMultiplier: '0',
      },
    }
  }),
  BaseFee: createQuery(QueryBaseFeeRequestSchema, QueryBaseFeeResponseSchema, (_, context) => {
    const { baseFeePerGas } = headerAtContext(context)
    return baseFeePerGas === undefined ? {} : { baseFee: decimal(baseFeePerGas) }
  }),
  BlockGas: createQuery(QueryBlockGasRequestSchema, QueryBlockGasResponseSchema, (_, context) => ({
    gas: headerAtContext(context).gasUsed,
  })),
})

const node = withPrefix('/cosmos.base.node.v1beta1.Service', {
  Status: createQuery(StatusRequestSchema, StatusResponseSchema, (_, { chain, height }) => ({
    earliestStoreHeight: BigInt(chain.retention().oldestState),
    height: BigInt(height),
  })),
  Config: createQuery(ConfigRequestSchema, ConfigResponseSchema, (_, { minimumGasPrice }) => ({
    minimumGasPrice: `${minimumGasPrice}.${'0'.repeat(18)}${evmDenom}`,
  })),
})

const auth = withPrefix('/cosmos.auth.v1beta1.Query', {
  Bech32Prefix: createQuery(Bech32PrefixRequestSchema, Bech32PrefixResponseSchema, () => ({ bech32Prefix })),
})

/** The queries of Cosmos modules beside the EVM. */
export const moduleQueries: QueryRoutes = [...feemarket, ...node, ...auth]
