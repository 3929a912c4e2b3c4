import type { DescMessage } from '@bufbuild/protobuf'
import {
  QueryParamsRequestSchema as FeemarketParamsRequestSchema,
  QueryParamsResponseSchema as FeemarketParamsResponseSchema,
} from '../gen/cosmos/evm/feemarket/v1/query_pb.ts'
import {
  EstimateGasResponseSchema,
  EthCallRequestSchema,
  QueryAccountRequestSchema,
  QueryAccountResponseSchema,
  QueryBalanceRequestSchema,
  QueryBalanceResponseSchema,
  QueryCodeRequestSchema,
  QueryCodeResponseSchema,
  QueryGlobalMinGasPriceRequestSchema,
  QueryGlobalMinGasPriceResponseSchema,
  QueryParamsRequestSchema,
  QueryParamsResponseSchema,
  QueryStorageRequestSchema,
  QueryStorageResponseSchema,
  QueryTraceBlockRequestSchema,
  QueryTraceBlockResponseSchema,
  QueryTraceCallRequestSchema,
  QueryTraceCallResponseSchema,
  QueryTraceTxRequestSchema,
  QueryTraceTxResponseSchema,
} from '../gen/cosmos/evm/vm/v1/query_pb.ts'
import { MsgEthereumTxResponseSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'

/** A query of a module: its name, its request and its response. */
export interface QueryMethod<Request extends DescMessage, Response extends DescMessage> {
  readonly name: string
  readonly request: Request
  readonly response: Response
}

type QueryMethods = Readonly<Record<string, QueryMethod<DescMessage, DescMessage>>>

/**
 * The queries of the EVM module. Older families have the same messages under other package names, with fewer fields.
 */
export const evmMethods = {
  account: { name: 'Account', request: QueryAccountRequestSchema, response: QueryAccountResponseSchema },
  balance: { name: 'Balance', request: QueryBalanceRequestSchema, response: QueryBalanceResponseSchema },
  storage: { name: 'Storage', request: QueryStorageRequestSchema, response: QueryStorageResponseSchema },
  code: { name: 'Code', request: QueryCodeRequestSchema, response: QueryCodeResponseSchema },
  call: { name: 'EthCall', request: EthCallRequestSchema, response: MsgEthereumTxResponseSchema },
  estimateGas: { name: 'EstimateGas', request: EthCallRequestSchema, response: EstimateGasResponseSchema },
  params: { name: 'Params', request: QueryParamsRequestSchema, response: QueryParamsResponseSchema },
  traceTx: { name: 'TraceTx', request: QueryTraceTxRequestSchema, response: QueryTraceTxResponseSchema },
  traceBlock: {
    name: 'TraceBlock',
    request: QueryTraceBlockRequestSchema,
    response: QueryTraceBlockResponseSchema,
  },
  traceCall: {
    name: 'TraceCall',
    request: QueryTraceCallRequestSchema,
    response: QueryTraceCallResponseSchema,
  },
  globalMinGasPrice: {
    name: 'GlobalMinGasPrice',
    request: QueryGlobalMinGasPriceRequestSchema,
    response: QueryGlobalMinGasPriceResponseSchema,
  },
} as const satisfies QueryMethods

/** The queries of the fee market module. */
export const feemarketMethods = {
  params: {
    name: 'Params',
    request: FeemarketParamsRequestSchema,
    response: FeemarketParamsResponseSchema,
  },
} as const satisfies QueryMethods
