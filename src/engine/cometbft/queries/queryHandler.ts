import type { Logger } from '../../../base/logging/log.ts'
import { ChainError, unavailable } from '../../../chain/chainError.ts'
import type { AbciRequest, AbciResponse } from '../abci/messages.ts'
import { maxResponseBytes, responseTooLargeError } from './boundedResponse.ts'
import { evmQueries } from './evmQueries.ts'
import { evmTraces } from './evmTraces.ts'
import { moduleQueries } from './modules.ts'
import { perihelionExecutionQueries } from './perihelionExecution.ts'
import { perihelionStateQueries } from './perihelionState.ts'
import type { QueryContext, QueryDependencies, QueryHandlerFunction } from './query.ts'
import {
  futureHeightError,
  invalidArgumentError,
  prunedHeightError,
  QueryError,
  sdkError,
} from './queryError.ts'
import { storeQuery } from './storeQueries.ts'

export type QueryHandler = (request: AbciRequest<'query'>) => Promise<AbciResponse<'query'>>

export interface QueryOptions {
  /** The timeout of one query. It is below the 10 s after which CometBFT closes an HTTP connection. */
  readonly timeoutMs: number
}

export const defaultQueryOptions: QueryOptions = { timeoutMs: 9000 }

/** The largest request that CometBFT forwards with our configuration (hex encoded). */
const maxRequestBytes = 8_000_000

const queries: ReadonlyMap<string, QueryHandlerFunction> = new Map([
  ...evmQueries,
  ...evmTraces,
  ...moduleQueries,
  ...perihelionStateQueries,
  ...perihelionExecutionQueries,
])

/** Creates the handler of ABCI queries. Queries change nothing, and each is answered before its timeout. */
export const createQueryHandler =
  ({ timeoutMs }: QueryOptions, dependencies: QueryDependencies, log: Logger): QueryHandler =>
  async ({ path, data, height, prove }) => {
    const newest = dependencies.chain.head().number
    const queryHeight = height === 0n ? BigInt(newest) : height
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      checkRequest(path, data, height, newest)
      const context: QueryContext = { ...dependencies, height: Number(queryHeight), signal: deadline.signal }
      return await Promise.race([
        runQuery(path, data, prove, context),
        rejectOnAbort(deadline.signal, `the query took longer than ${timeoutMs} ms`),
      ])
    } catch (error) {
      const queryError = toQueryError(error, Number(queryHeight), newest)
      if (queryError === undefined) log.error({ err: error, path: path.slice(0, 100) }, 'a query failed')
      const { code, codespace, message } = queryError ?? internalError
      return {
        code,
        codespace,
        log: message.slice(0, maxLogLength),
        height: queryHeight < 0n ? 0n : queryHeight,
      }
    } finally {
      clearTimeout(timer)
    }
  }

/** The SDK's error for failures that are not described to the client. */
const internalError = new QueryError(1, 'undefined', 'internal error')

/** The maximum length of an error text, because errors may quote the request. */
const maxLogLength = 2000

/** The longest path is below a hundred characters. */
const maxPathLength = 1_024

const checkRequest = (path: string, data: Uint8Array, height: bigint, newest: number): void => {
  if (path.length > maxPathLength) throw sdkError('unknownRequest', 'unknown query path')
  if (height < 0n)
    throw sdkError('invalidRequest', 'cannot query with height < 0; please provide a valid height')
  if (height > BigInt(newest)) throw futureHeightError()
  if (data.length > maxRequestBytes)
    throw sdkError(
      'invalidRequest',
      `the request has ${data.length} bytes, at most ${maxRequestBytes} are read`,
    )
}

const runQuery = async (
  path: string,
  data: Uint8Array,
  isProven: boolean,
  context: QueryContext,
): Promise<AbciResponse<'query'>> => {
  const found = queries.get(path)
  if (found !== undefined) {
    const value = await found(data, context)
    if (value.length > maxResponseBytes) throw responseTooLargeError(value.length)
    return { value, height: BigInt(context.height) }
  }
  const [first, ...rest] = path.replace(/^\//, '').split('/')
  if (first === '') throw sdkError('unknownRequest', 'no query path provided')
  if (first === 'store') return storeQuery(rest, data, isProven, context)
  // CometBFT queries each peer if its `filter_peers` is enabled; none is rejected.
  if (first === 'p2p' && rest[0] === 'filter') return { height: BigInt(context.height) }
  throw sdkError('unknownRequest', 'unknown query path')
}

const rejectOnAbort = (signal: AbortSignal, message: string): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(unavailable(message)), { once: true })
  })

/** Converts an error; returns undefined for an unexpected one. */
const toQueryError = (error: unknown, height: number, newest: number): QueryError | undefined => {
  if (error instanceof QueryError) return error
  if (!(error instanceof ChainError)) return undefined
  return error.kind === 'state pruned'
    ? prunedHeightError(height, error.message, newest)
    : invalidArgumentError(error.message)
}
