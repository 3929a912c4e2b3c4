import type { Logger } from '../../../base/log.ts'
import { ChainError, unavailable } from '../../../chain/chainError.ts'
import type { AbciRequest, AbciResponse } from '../abci/messages.ts'
import { maxAnswerBytes, tooLarge } from './boundedText.ts'
import { evmQueries } from './evmQueries.ts'
import { evmTraces } from './evmTraces.ts'
import { moduleQueries } from './modules.ts'
import { ownExecutionQueries } from './ownExecution.ts'
import { ownStateQueries } from './ownState.ts'
import type { Query, QueryScene, QuerySource } from './query.ts'
import { futureHeight, invalidArgument, prunedHeight, QueryFault, sdkFault } from './queryFault.ts'
import { storeQuery } from './storeQueries.ts'

export type QueryHandler = (request: AbciRequest<'query'>) => Promise<AbciResponse<'query'>>

export interface QueryOptions {
  /** For one query: CometBFT ends a connection over HTTP that waits for 10 s, so that an answer comes before. */
  readonly timeoutMs: number
}

export const defaultQueryOptions: QueryOptions = { timeoutMs: 9000 }

/** What CometBFT passes on at most, in hex and where it is as we configure it. */
const maxRequestBytes = 8_000_000

const queries: ReadonlyMap<string, Query> = new Map([
  ...evmQueries,
  ...evmTraces,
  ...moduleQueries,
  ...ownStateQueries,
  ...ownExecutionQueries,
])

/** Answers what is asked through the engine. Nothing changes by it; every question gets an answer, in time. */
export const createQueryHandler =
  ({ timeoutMs }: QueryOptions, source: QuerySource, log: Logger): QueryHandler =>
  async ({ path, data, height, prove }) => {
    const newest = source.chain.head().number
    const asked = height === 0n ? BigInt(newest) : height
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      checkRequest(data, height, newest)
      const scene: QueryScene = { ...source, height: Number(asked), signal: deadline.signal }
      return await Promise.race([
        answer(path, data, prove, scene),
        aborted(deadline.signal, `the query took longer than ${timeoutMs} ms`),
      ])
    } catch (error) {
      const fault = toFault(error, Number(asked), newest)
      if (fault === undefined) log.error({ err: error, path: path.slice(0, 100) }, 'a query failed')
      const { code, codespace, message } = fault ?? internal
      return { code, codespace, log: message.slice(0, maxLogLength), height: asked < 0n ? 0n : asked }
    } finally {
      clearTimeout(timer)
    }
  }

/** As the SDK says what it does not tell. */
const internal = new QueryFault(1, 'undefined', 'internal error')

/** Faults may quote what they are about. */
const maxLogLength = 2000

const checkRequest = (data: Uint8Array, height: bigint, newest: number): void => {
  if (height < 0n)
    throw sdkFault('invalidRequest', 'cannot query with height < 0; please provide a valid height')
  if (height > BigInt(newest)) throw futureHeight()
  if (data.length > maxRequestBytes)
    throw sdkFault(
      'invalidRequest',
      `the request has ${data.length} bytes, at most ${maxRequestBytes} are read`,
    )
}

const answer = async (
  path: string,
  data: Uint8Array,
  isProven: boolean,
  scene: QueryScene,
): Promise<AbciResponse<'query'>> => {
  const found = queries.get(path)
  if (found !== undefined) {
    const value = await found(data, scene)
    if (value.length > maxAnswerBytes) throw tooLarge(value.length)
    return { value, height: BigInt(scene.height) }
  }
  const [first, ...rest] = path.replace(/^\//, '').split('/')
  if (first === '') throw sdkFault('unknownRequest', 'no query path provided')
  if (first === 'store') return storeQuery(rest, data, isProven, scene)
  // CometBFT asks about each peer where its `filter_peers` is on: none is refused.
  if (first === 'p2p' && rest[0] === 'filter') return { height: BigInt(scene.height) }
  throw sdkFault('unknownRequest', 'unknown query path')
}

const aborted = (signal: AbortSignal, message: string): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(unavailable(message)), { once: true })
  })

/** Undefined for what nobody expected. */
const toFault = (error: unknown, height: number, newest: number): QueryFault | undefined => {
  if (error instanceof QueryFault) return error
  if (!(error instanceof ChainError)) return undefined
  return error.kind === 'state pruned'
    ? prunedHeight(height, error.message, newest)
    : invalidArgument(error.message)
}
