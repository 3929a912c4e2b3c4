import { lazy } from '../base/async/lazy.ts'
import { fromHex } from '../base/encoding/hex.ts'
import { ChainError, type ChainErrorKind } from '../chain/chainError.ts'
import { callMethodNames, loadCalls } from './calls/loadCalls.ts'
import { ProvenChain } from './chain.ts'
import { Endpoint, type Fetch } from './endpoints/endpoint.ts'
import { Endpoints, type Lie } from './endpoints/endpoints.ts'
import { LightFilters } from './filters.ts'
import { codes, invalidParams, LightError, unsupported } from './lightError.ts'
import { blockMethods } from './methods/blocks.ts'
import { chainMethods } from './methods/chainMethods.ts'
import { feeMethods } from './methods/fees.ts'
import { getLogs } from './methods/logs.ts'
import type { LightMethods } from './methods/method.ts'
import { stateMethods } from './methods/state.ts'
import { type Head, HeadTracker, type LightStore } from './proving/head.ts'

export interface LightProviderOptions {
  /** Nodes or gateways, asked in this order. One is enough; with more, one that lies or is away is passed over. */
  readonly urls: readonly string[]
  /**
   * A block that is known to be of the chain: the height and the hash of CometBFT. `first-use`: the newest block of the first
   * endpoint that answers is believed. It may be missing where the store has what an earlier run proved.
   */
  readonly trust?: { readonly height: number; readonly hash: string } | 'first-use' | undefined
  /** Where the newest proven header is kept between two runs. */
  readonly store?: LightStore | undefined
  /** How old the newest block may be, in milliseconds; by default a minute. */
  readonly maxAgeMs?: number | undefined
  /** How long a header is trusted after its time, in milliseconds; by default 14 days, less than validators are bonded for. */
  readonly trustingPeriodMs?: number | undefined
  /** How often endpoints are asked for a newer block, at most, in milliseconds; by default 1000. */
  readonly refreshMs?: number | undefined
  /** How long one answer may take, in milliseconds; by default 15 seconds. */
  readonly timeoutMs?: number | undefined
  /** The most gas of a call, as the setting `json-rpc.gas-cap` of nodes has it; by default 50,000,000. */
  readonly gasCap?: bigint | undefined
  /** What becomes of methods that nothing can prove: an error, or the response of an endpoint, after an event `unproven`. */
  readonly unproven?: 'refuse' | 'mark' | undefined
  /** Sends a request; by default that of the platform. */
  readonly fetch?: Fetch | undefined
}

/** A head as `provider.head()` tells it. */
export interface LightHead {
  readonly number: number
  readonly hash: Uint8Array
  /** When validators signed it, in milliseconds. */
  readonly signedAt: number
  readonly validators: number
  readonly power: bigint
}

export interface UnprovenAnswer {
  readonly method: string
  readonly endpoint: string
}

/** An EIP-1193 provider that believes no endpoint. */
export interface LightProvider {
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  on(event: 'message', listener: (message: LightMessage) => void): this
  on(event: 'lie', listener: (lie: Lie) => void): this
  on(event: 'unproven', listener: (answer: UnprovenAnswer) => void): this
  on(event: 'error', listener: (error: Error) => void): this
  removeListener(event: string, listener: (value: never) => void): this
  /** Returns the newest proven block. */
  head(): Promise<LightHead>
  /** Writes what is trusted to the store, and ends subscriptions. */
  close(): Promise<void>
}

export interface LightMessage {
  readonly type: 'eth_subscription'
  readonly data: { readonly subscription: string; readonly result: unknown }
}

const codesByKind: Readonly<Record<ChainErrorKind, number>> = {
  'header not found': codes.failed,
  'state pruned': codes.unavailable,
  refused: codes.failed,
  'limit exceeded': codes.limitExceeded,
  unsupported: codes.unsupported,
  unavailable: codes.unavailable,
}

type Listener = (value: never) => void

const minute = 60_000
/** How many times as long as one answer the proof of a new head may take. */
const turnsOfAnswer = 2
/** How many times as long as one answer an endpoint may take for one request, before the next one is asked. */
const turnsOfRequest = 4
const maxAnswerBytes = 64 * 2 ** 20
/** Of the responses of one endpoint that are read at once. */
const maxHeldBytes = 2 * maxAnswerBytes

const proven: LightMethods = {
  ...chainMethods,
  ...blockMethods,
  ...stateMethods,
  ...feeMethods,
  eth_getLogs: getLogs,
}

/** The methods that are answered by what is proven. */
export const provenMethods: readonly string[] = [...Object.keys(proven), ...callMethodNames]

/** Creates a provider that proves each response by the signatures of the chain's validators. */
export const createLightProvider = (options: LightProviderOptions): LightProvider => {
  const { urls, trust, unproven = 'refuse' } = options
  const listeners = new Map<string, Set<Listener>>()
  const emit = (event: string, value: unknown): void => {
    for (const listener of listeners.get(event) ?? []) listener(value as never)
  }
  const limits = { timeoutMs: options.timeoutMs ?? 15_000, maxBytes: maxAnswerBytes, maxHeldBytes }
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  if (urls.length === 0) throw new TypeError('a light provider needs the URL of an endpoint')
  const endpoints = new Endpoints(
    urls.map((url) => new Endpoint(url, limits, fetch)),
    turnsOfRequest * limits.timeoutMs,
    (lie) => emit('lie', lie),
  )
  const refreshMs = options.refreshMs ?? 1_000
  const tracker = new HeadTracker(
    {
      trust: typeof trust === 'object' ? { height: trust.height, hash: toHash(trust.hash) } : trust,
      store: options.store,
      trustingPeriodMs: options.trustingPeriodMs ?? 14 * 24 * 60 * minute,
      maxClockDriftMs: 10_000,
      maxAgeMs: options.maxAgeMs ?? minute,
      refreshMs,
      turnMs: turnsOfAnswer * limits.timeoutMs,
      now: () => Date.now(),
    },
    endpoints,
  )
  const chain = new ProvenChain(endpoints, tracker)
  const filters = new LightFilters(
    chain,
    refreshMs,
    (subscription, result) => emit('message', { type: 'eth_subscription', data: { subscription, result } }),
    (error) => emit('error', error),
  )

  const calls = lazy(() => loadCalls(options.gasCap ?? 50_000_000n, limits.timeoutMs))

  const askUnproven = (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (unproven === 'refuse')
      throw unsupported(`no proof exists for ${method}: rejected (unproven: 'mark' would pass it on)`)
    return endpoints.first(async (endpoint) => {
      const answer = await endpoint.askBelieved(method, params)
      emit('unproven', { method, endpoint: endpoint.name })
      return answer
    })
  }

  const answer = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (Object.hasOwn(filters.methods, method)) return filters.methods[method]?.(params)
    const prove = callMethodNames.has(method)
      ? (await calls())[method]
      : Object.hasOwn(proven, method)
        ? proven[method]
        : undefined
    if (prove === undefined || (unproven === 'mark' && params.includes('pending')))
      return askUnproven(method, params)
    try {
      return await chain.ask((session) => prove(session, params))
    } catch (error) {
      throw error instanceof ChainError ? new LightError(codesByKind[error.kind], error.message) : error
    }
  }

  return {
    request: async ({ method, params = [] }) => {
      if (typeof method !== 'string') throw invalidParams('expected the name of a method')
      return answer(method, Array.isArray(params) ? params : [params])
    },
    on(event: string, listener: Listener) {
      const known = listeners.get(event) ?? new Set()
      listeners.set(event, known.add(listener))
      return this
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener)
      return this
    },
    head: async () => toLightHead(await tracker.latest()),
    close: async () => {
      filters.close()
      await tracker.save()
    },
  }
}

const toLightHead = ({ number, hash, signedAt, validators, power }: Head): LightHead => ({
  number,
  hash,
  signedAt,
  validators,
  power,
})

const toHash = (text: string): Uint8Array => {
  const digits = text.replace(/^0x/i, '')
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new LightError(codes.invalidParams, 'the hash of the trusted block has 64 hex digits')
  return fromHex(`0x${digits}`)
}
