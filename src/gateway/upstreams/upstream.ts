import { Redaction } from '../../base/logging/redaction.ts'
import { type CallOptions, CometHttpClient } from '../../comet/client/httpClient.ts'
import { CometWsClient } from '../../comet/client/wsClient.ts'
import { abciQueryParams, parseAbciQuery } from '../../comet/data/abciQuery.ts'
import { parseBlock } from '../../comet/data/parseBlock.ts'
import { type NodeStatus, parseStatus } from '../../comet/data/replies.ts'
import { maxReplyBytes, parseNodeUrl } from '../../comet/data/replyEnvelope.ts'
import { TransportError } from '../../comet/data/transportErrors.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { verifyBlock } from '../../comet/data/verifyBlock.ts'
import { Quarantine } from './choice/quarantine.ts'
import type { UpstreamAddress } from './choice/upstreamAddress.ts'
import { CircuitBreaker } from './circuitBreaker.ts'
import { GrpcClient } from './grpcClient.ts'
import { GrpcWay } from './grpcWay.ts'

/** An exponentially weighted mean of call times. */
export class Latency {
  #milliseconds: number | undefined

  get milliseconds(): number | undefined {
    return this.#milliseconds
  }

  add(milliseconds: number): void {
    this.#milliseconds =
      this.#milliseconds === undefined ? milliseconds : 0.9 * this.#milliseconds + 0.1 * milliseconds
  }
}

/** Heavy calls are slow or large. They do not use the WebSocket, where other calls would wait behind them. */
export type CallWeight = 'light' | 'heavy'

const maxInFlight = 64
const maxOpenCalls = 1_024
const maxSockets = 16
/** The number of light queries after which the slower transport is measured again. */
const remeasureEvery = 128
/** How long others are asked for a state that a node said is pruned, or for older ones: it may have been mistaken. */
const prunedMs = 600_000
/** At the newest blocks of a node a state that is not there says nothing about older ones. */
const unsettledBlocks = 8

/** One node of the chain with all transports to it. It knows which heights the node has and whether it is trusted. */
export class Upstream {
  readonly address: UpstreamAddress
  /** What logs, metrics and errors call it: no URL, which may hold keys. */
  readonly name: string
  readonly #redaction: Redaction
  readonly breaker = new CircuitBreaker()
  readonly #socket: CometWsClient
  readonly #http: CometHttpClient
  readonly #grpc: GrpcWay | undefined
  readonly #latencies = { socket: new Latency(), http: new Latency(), grpc: new Latency() }
  #status: NodeStatus | undefined
  #earliestState = 1
  #prunedUntil = 0
  readonly #quarantine = new Quarantine()
  #open = 0
  #calls = 0
  #failures = 0
  #lightQueries = 0

  /** `onGrpc` is called with the reason when gRPC does not answer any more, and with undefined when it does again. */
  constructor(address: UpstreamAddress, name: string, onGrpc: (reason: string | undefined) => void) {
    this.address = address
    this.name = name
    const { node, grpc, headers, grpcHeaders } = address
    this.#redaction = new Redaction(parseNodeUrl(node).href, { ...headers, ...grpcHeaders })
    this.#socket = new CometWsClient(node, { maxReplyBytes, maxInFlight, headers })
    this.#http = new CometHttpClient(node, { maxReplyBytes, maxSockets, headers })
    if (grpc === undefined) return
    this.#grpc = new GrpcWay(new GrpcClient(grpc, { maxReplyBytes, headers: grpcHeaders }), (reason) =>
      onGrpc(reason === undefined ? undefined : this.#redaction.clean(reason)),
    )
  }

  /** Hides what may be a key in the text of an error, which a node may repeat. */
  redact(error: unknown): unknown {
    if (error instanceof Error) error.message = this.#redaction.clean(error.message)
    return error
  }

  /** The last status of the upstream; undefined if it was not asked yet or is in quarantine. */
  get status(): NodeStatus | undefined {
    return this.#status
  }

  /** The lowest height at which a query was not rejected because of its height. */
  get earliestState(): number {
    return this.#earliestState
  }

  /** The time until which others are asked first for the state of a height; 0: as soon as it can be. */
  doubtedUntil(height: number, now: number): number {
    return height >= this.#earliestState || now >= this.#prunedUntil ? 0 : this.#prunedUntil
  }

  /**
   * Records that the node has no state of a height. Returns whether it is pruned: nodes say the same of a state that is
   * yet to come, as that of their newest block is for a moment.
   */
  markPruned(height: number, now: number): boolean {
    const latest = this.#status?.latestHeight ?? 0
    if (height >= latest) return false
    if (height > latest - unsettledBlocks) return true
    this.#earliestState = Math.max(this.#earliestState, height + 1)
    this.#prunedUntil = now + prunedMs
    return true
  }

  /** Records that the node has the state of a height. */
  markKept(height: number): void {
    this.#earliestState = Math.min(this.#earliestState, height)
  }

  quarantineReason(now: number): string | undefined {
    return this.#quarantine.reason(now)
  }

  isQuarantinedForLie(now: number): boolean {
    return this.#quarantine.isForLie(now)
  }

  /** Puts the upstream into quarantine, for longer each time. Returns the duration; undefined if it is in one already. */
  quarantine(reason: string, now: number, isLie: boolean): number | undefined {
    this.#status = undefined
    return this.#quarantine.begin(reason, now, isLie)
  }

  /**
   * Checks whether a quarantined node is healthy again: of the chain, with a newest block that has the hashes of its
   * header. After several such checks in a row, more after each relapse, the quarantine ends, unless it is for a lie.
   * Returns whether it did.
   */
  async probe(chainId: string, timeoutMs: number): Promise<boolean> {
    const options = { timeoutMs }
    try {
      const { network, latestHeight: height } = parseStatus(await this.rpc('status', {}, 'light', options))
      if (network !== chainId) throw new UpstreamError(`it is a node of chain ${network}`)
      const block = await this.rpc('block', { height: String(height) }, 'light', options)
      verifyBlock(parseBlock(block), { chainId, height })
    } catch {
      return this.#quarantine.onProbe(false, Date.now())
    }
    return this.#quarantine.onProbe(true, Date.now())
  }

  /** Fetches the status of the node, and trusts the node if it is of the chain, as that is known by then. */
  async check(
    chainOf: () => string | undefined,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<NodeStatus> {
    const status = parseStatus(await this.rpc('status', {}, 'light', { timeoutMs, signal }))
    const chainId = chainOf()
    if (chainId !== undefined && status.network !== chainId)
      throw new UpstreamError(`it is a node of chain ${status.network}, not of ${chainId}`)
    this.#status = status
    return status
  }

  /** Calls a method of CometBFT's RPC. */
  rpc(method: string, params: object, weight: CallWeight, options: CallOptions): Promise<unknown> {
    const way = weight === 'light' ? 'socket' : 'http'
    const client = weight === 'light' ? this.#socket : this.#http
    return this.#withStats(way, options, () => client.call(method, params, options))
  }

  /** Queries a module over the fastest transport that is available. */
  async query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    weight: CallWeight,
    options: CallOptions,
  ): Promise<Uint8Array> {
    const byComet = (given: CallOptions) => this.#abciQuery(path, request, height, weight, given)
    const grpc = this.#grpc
    if (!grpc?.allows(Date.now()) || !this.#prefersGrpc(weight)) return byComet(options)
    const byGrpc = (client: GrpcClient, given: CallOptions) =>
      this.#withStats('grpc', given, () => client.call(path, request, height, given))
    return grpc.ask(byGrpc, byComet, options)
  }

  async #abciQuery(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    weight: CallWeight,
    options: CallOptions,
  ): Promise<Uint8Array> {
    const params = abciQueryParams(path, request, height, false)
    return parseAbciQuery(await this.rpc('abci_query', params, weight, options), height).value
  }

  stats(now: number): UpstreamStats {
    const reason = this.quarantineReason(now)
    return {
      node: this.name,
      grpc: this.address.grpc,
      isGrpcReady: this.#grpc?.isReady,
      state:
        reason !== undefined
          ? 'quarantined'
          : this.breaker.isOpen || this.breaker.isPaused(now)
            ? 'failing'
            : this.#status
              ? 'ready'
              : 'unknown',
      quarantineReason: reason,
      isLimited: this.breaker.isPaused(now),
      quarantines: this.#quarantine.count,
      latestHeight: this.#status?.latestHeight,
      earliestBlock: this.#status?.earliestHeight,
      earliestState: this.#earliestState,
      calls: this.#calls,
      failures: this.#failures,
      openCalls: this.#open,
      connections: this.#socket.connections,
      latencyMs: {
        socket: this.#latencies.socket.milliseconds,
        http: this.#latencies.http.milliseconds,
        grpc: this.#latencies.grpc.milliseconds,
      },
    }
  }

  close(): void {
    this.#socket.close()
    this.#http.close()
    this.#grpc?.close()
  }

  #prefersGrpc(weight: CallWeight): boolean {
    if (weight === 'heavy') return true
    const { socket, grpc } = this.#latencies
    if (socket.milliseconds === undefined || grpc.milliseconds === undefined)
      return grpc.milliseconds === undefined
    const isGrpcFaster = grpc.milliseconds <= socket.milliseconds
    return ++this.#lightQueries % remeasureEvery === 0 ? !isGrpcFaster : isGrpcFaster
  }

  async #withStats<T>(
    transport: 'socket' | 'http' | 'grpc',
    { signal }: CallOptions,
    call: () => Promise<T>,
  ): Promise<T> {
    if (this.#open >= maxOpenCalls) throw new TransportError('too many open calls to this node')
    const began = performance.now()
    this.#open++
    this.#calls++
    try {
      const result = await call()
      this.#latencies[transport].add(performance.now() - began)
      return result
    } catch (error) {
      if (error instanceof TransportError && !signal?.aborted) this.#failures++
      throw error
    } finally {
      this.#open--
    }
  }
}

export interface UpstreamStats {
  readonly node: string
  readonly grpc: string | undefined
  /** Whether its gRPC answers, as far as it was asked; undefined if it has none. */
  readonly isGrpcReady: boolean | undefined
  readonly state: 'ready' | 'failing' | 'quarantined' | 'unknown'
  readonly quarantineReason: string | undefined
  /** Whether the node asked to be left alone because there were too many calls. */
  readonly isLimited: boolean
  readonly quarantines: number
  readonly latestHeight: number | undefined
  readonly earliestBlock: number | undefined
  readonly earliestState: number
  readonly calls: number
  readonly failures: number
  readonly openCalls: number
  /** How many times its WebSocket was opened: each restart of the node closes it. */
  readonly connections: number
  /** The mean time of recent calls over each transport. */
  readonly latencyMs: Readonly<Record<'socket' | 'http' | 'grpc', number | undefined>>
}
