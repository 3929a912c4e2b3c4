import type { DescMessage } from '@bufbuild/protobuf'
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
} from '../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { MsgEthereumTxResponseSchema } from '../cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import type { QueryMethod } from './moduleQueries.ts'

/** The EVM module's queries. Older families have the same messages under other package names, with fewer fields. */
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
} as const satisfies Readonly<Record<string, QueryMethod<DescMessage, DescMessage>>>
