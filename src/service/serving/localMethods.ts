import { z } from 'zod'
import type { ApiContext } from '../../api/context.ts'
import type { ClientConnection } from '../../base/notification.ts'
import { ElsewhereError, failElsewhere } from '../../node/reading/elsewhere.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { CallScope, Method } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { plainType } from '../../rpc/wireType.ts'
import type { AddedMethod } from './messages.ts'

/**
 * The methods that a serving process answers by itself, from the store. Every other one is answered by the main process, and
 * so are these where they ask for what only that knows: the pending block, the pool, the fees of a dev chain.
 */
export const localMethods: ReadonlySet<string> = new Set([
  'web3_clientVersion',
  'web3_sha3',
  'net_version',
  'rpc_modules',
  'eth_protocolVersion',
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getHeaderByNumber',
  'eth_getHeaderByHash',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionbyBlockNumberAndIndex',
  'eth_getTransactionBySenderAndNonce',
  'eth_getTransactionReceipt',
  'eth_getRawTransactionByHash',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getStorageValues',
  'eth_getTransactionCount',
  'eth_getCode',
  'eth_getAccount',
  'eth_getAccountInfo',
  'eth_getProof',
  'eth_call',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_callMany',
  'eth_simulateV1',
  'eth_getLogs',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_feeHistory',
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
  'debug_getBlockRlp',
  'debug_traceTransaction',
  'debug_traceBlockByNumber',
  'debug_traceBlockByHash',
  'debug_traceBlock',
  'debug_traceCall',
  'debug_storageRangeAt',
  'trace_transaction',
  'trace_get',
  'trace_block',
  'trace_replayTransaction',
  'trace_replayBlockTransactions',
  'trace_call',
  'trace_callMany',
  'trace_rawTransaction',
  'ots_getApiLevel',
  'ots_hasCode',
  'ots_getInternalOperations',
  'ots_getTransactionError',
  'ots_traceTransaction',
  'ots_getBlockDetails',
  'ots_getBlockDetailsByHash',
  'ots_getBlockTransactions',
  'erigon_getBlockByTimestamp',
  'erigon_getBlockReceiptsByBlockHash',
  'erigon_getLogsByHash',
  'erigon_getLatestLogs',
])

/** A parameter as it came. */
const anything = plainType(z.unknown())

/** The subscriptions that are fed from the store. The others come from the main process. */
const localSubscriptions: ReadonlySet<unknown> = new Set(['newHeads', 'logs', 'transactionReceipts'])

export interface ServingMethodsDependencies {
  /** Moves to the published head. Returns false if only the main process may answer now. */
  readonly follow: () => boolean
  /** Called with each connection that gets a subscription here. */
  readonly onSubscribed: (connection: ClientConnection) => void
  /** Has the main process answer. */
  readonly forward: (method: string, params: readonly unknown[], scope: CallScope) => Promise<RawJson>
}

/** Returns the methods as a serving process has them. Names, access and class of work stay as they are. */
export const toServingMethods = (
  methods: readonly Method<ApiContext>[],
  dependencies: ServingMethodsDependencies,
): readonly Method<ApiContext>[] =>
  methods.map((method) => {
    if (method.name === 'eth_subscribe') return subscribing(method, dependencies)
    if (method.name === 'eth_unsubscribe') return unsubscribing(method, dependencies)
    return localMethods.has(method.name) ? answered(method, dependencies) : forwarded(method, dependencies)
  })

/** A method that is answered here unless it turns out that only the main process can. */
const answered = (
  method: Method<ApiContext>,
  { follow, forward }: ServingMethodsDependencies,
): Method<ApiContext> => {
  const { name, handler } = method
  return {
    ...method,
    handler: (args, context, scope, given = []) => {
      const passOn = (error: unknown): unknown => {
        if (error instanceof ElsewhereError) return forward(name, given, scope)
        throw error
      }
      try {
        if (!follow()) return forward(name, given, scope)
        const result = handler(args, context, scope, given)
        return result instanceof Promise ? result.catch(passOn) : result
      } catch (error) {
        return passOn(error)
      }
    },
  }
}

/** A method that the main process answers. It checks the parameters too. */
const forwarded = (
  { workOf: _, ...method }: Method<ApiContext>,
  { forward }: ServingMethodsDependencies,
): Method<ApiContext> => ({
  ...method,
  params: method.params.map((param) => ({ ...param, type: anything, required: false })),
  handler: (_args, _context, scope, given = []) => forward(method.name, given, scope),
})

/** Returns a method that only the main process has, as far as it matters to who may call it. */
export const fromAddedMethod = ({ name, access, work, params }: AddedMethod): Method<ApiContext> => ({
  name,
  summary: '',
  access,
  ...(work && { work }),
  params: params.map((param) => ({ ...param, about: '', type: anything, required: false })),
  result: { name: 'result', type: anything },
  examples: [],
  handler: failElsewhere,
})

export const toAddedMethod = ({ name, access, work, params }: Method<ApiContext>): AddedMethod => ({
  name,
  access,
  work,
  params: params.map(({ name, secret }) => ({ name, secret })),
})

const subscribing = (
  method: Method<ApiContext>,
  dependencies: ServingMethodsDependencies,
): Method<ApiContext> => {
  const { handler } = answered(
    {
      ...method,
      handler: (args, context, scope, given) => {
        const result = method.handler(args, context, scope, given)
        if (scope.connection !== undefined) dependencies.onSubscribed(scope.connection)
        return result
      },
    },
    dependencies,
  )
  return {
    ...method,
    handler: (args, context, scope, given = []) => {
      const { connection } = scope
      if (connection !== undefined && !localSubscriptions.has(given[0]))
        return dependencies.forward(method.name, given, scope)
      return handler(args, context, scope, given)
    },
  }
}

/** A subscription that is not known here may be one of the main process. */
const unsubscribing = (
  method: Method<ApiContext>,
  { forward }: ServingMethodsDependencies,
): Method<ApiContext> => ({
  ...method,
  handler: (args, context, scope, given = []) => {
    try {
      return method.handler(args, context, scope, given)
    } catch (error) {
      if (scope.connection === undefined || !(error instanceof RpcError)) throw error
      return forward(method.name, given, scope)
    }
  },
})
