import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Logger } from '../../base/logging/log.ts'
import { timeLeft } from '../../comet/client/deadline.ts'
import type { CallOptions } from '../../comet/client/httpClient.ts'
import { abciQueryParams, parseAbciQuery } from '../../comet/data/abciQuery.ts'
import { parseCommitReply } from '../../comet/data/commit.ts'
import { parseObject } from '../../comet/data/fields.ts'
import { headerHash } from '../../comet/data/headerHash.ts'
import {
  type NativeQueryClient,
  NativeQueryError,
  type ProvenValue,
  type ResponseCheck,
} from '../../comet/data/nativeQuery.ts'
import { parseBlock } from '../../comet/data/parseBlock.ts'
import { parseResults } from '../../comet/data/parseResults.ts'
import { toQueryError } from '../../comet/data/queryErrors.ts'
import { isPanic, unreadableAnswer } from '../../comet/data/refusals.ts'
import {
  type BroadcastResponse,
  type NetInfo,
  type NodeStatus,
  type NodeValidator,
  parseBroadcast,
  parseMaxGas,
  parseNetInfo,
  parseStatus,
  parseUnconfirmed,
  parseValidators,
} from '../../comet/data/replies.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { verifyBlock } from '../../comet/data/verifyBlock.ts'
import type { StateWitness } from '../../families/detect/detectionQueries.ts'
import type { AskedState } from '../../light/state/judgement.ts'
import type { ProvingNode, StateOutcome, StateProofs } from '../../light/state/stateProofs.ts'
import type { StateAnswer, StateAnswers } from './cachedQueryClient.ts'
import { isUndelivered } from './choice/delivery.ts'
import type { CallRequirements, SendOptions } from './choice/order.ts'
import { SingleFlight } from './singleFlight.ts'
import { StateChecks } from './stateChecks.ts'
import type { CallWeight, Upstream, UpstreamStats } from './upstream.ts'
import { UpstreamSelector, type UpstreamsOptions } from './upstreamSelector.ts'

/** Queries that may take long. They never use the WebSocket, where other calls would wait behind them. */
const heavyQuery =
  /\/(?:EthCall|Call|CallMany|CallWitness|EstimateGas|CreateAccessList|Simulate|Trace[A-Za-z]*|IntermediateRoots|Accounts|Slots)$/
const perPage = 100
/** The timeout of a query whose caller has a deadline, which most often ends it before: a day. gRPC takes eight digits at most. */
const longestMs = 86_400_000
/** The timeout of a request to one node alone. */
const aloneMs = 3_000
/** The timeout of a broadcast over all nodes. CheckTx of a node takes 5 s at most. */
const broadcastTimeoutMs = 10_000

/** What one node is asked; without a height of its newest state. */
type AskedOfNode = Omit<AskedState, 'height'> & { readonly height: number | undefined }

export interface NodeAlone extends Pick<NativeQueryClient, 'query'> {
  readonly name: string
}

/**
 * All upstreams of the chain as one client. Each call goes to the first upstream that can answer it, and to the next if
 * that one fails. An upstream that contradicts itself or the chain is put into quarantine.
 */
export class UpstreamClient implements NativeQueryClient, StateAnswers {
  readonly selector: UpstreamSelector
  readonly #queries = new SingleFlight<StateAnswer>()
  readonly #replies = new SingleFlight<unknown>()
  #stateChecks: StateChecks | undefined
  #stateProofs: StateProofs | undefined
  #storedHash: (height: number) => Uint8Array | undefined = () => undefined

  constructor(options: UpstreamsOptions, log: Logger) {
    this.selector = new UpstreamSelector(options, log)
  }

  /**
   * Fetches the status of every upstream, and throws if none can be used. The upstreams are watched from then on, even
   * if it throws.
   */
  open(signal: AbortSignal): Promise<NodeStatus> {
    return this.selector.open(signal)
  }

  /** Names the chain that the upstreams must be of, if none has answered yet. */
  expectChain(chainId: string): void {
    this.selector.expectChain(chainId)
  }

  /** Returns the lowest heights that any upstream has, as far as they are known. */
  earliest(): { readonly block: number; readonly state: number } {
    return this.selector.earliest()
  }

  /** From now on, proves responses about states. */
  proveStates(proofs: StateProofs): void {
    this.#stateProofs = proofs
  }

  /** From now on, compares blocks with the hashes that are stored for their heights. */
  compareBlocks(storedHash: (height: number) => Uint8Array | undefined): void {
    this.#storedHash = storedHash
  }

  /** From now on, checks each response about the state of a height by this witness; undefined: by none. */
  witnessState(witness: StateWitness | undefined): void {
    this.#stateChecks = witness && new StateChecks(witness)
  }

  async query(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
    isReadable?: ResponseCheck,
  ): Promise<Uint8Array> {
    return (await this.answer(path, request, height, signal, isReadable)).response
  }

  answer(
    path: string,
    request: Uint8Array,
    height: number | undefined,
    signal: AbortSignal,
    isReadable?: ResponseCheck,
  ): Promise<StateAnswer> {
    const weight = heavyQuery.test(path) ? 'heavy' : 'light'
    // The deadline of an execution or a trace is that of its caller.
    const timeoutMs = weight === 'heavy' && timeLeft(signal) !== undefined ? longestMs : undefined
    // What can be proven does not join what was asked when it could only be believed, nor what is checked what is not.
    const isProvable = height !== undefined && this.#stateProofs?.isProvable(height) === true
    const key = `${isProvable} ${isReadable !== undefined} ${path} ${height} ${Buffer.from(request).toString('base64')}`
    return this.#queries
      .run(key, signal, (shared) =>
        this.selector.callAny({ weight, kind: 'state', height, timeoutMs }, shared, (upstream, given) =>
          this.#ask(
            upstream,
            weight,
            { path, request, height },
            { ...given, waitsMs: timeLeft(signal) },
            isReadable,
          ),
        ),
      )
      .catch((error: unknown) => {
        throw toQueryError(error)
      })
  }

  /**
   * Returns nodes that can be asked alone about the state of a height, the best first. Their answers are checked as those of
   * `answer` are.
   */
  nodesAlone(height: number): readonly NodeAlone[] {
    const nodes = this.selector.candidates({ weight: 'light', kind: 'state', height })
    return nodes.map((upstream) => ({
      name: upstream.name,
      query: async (path, request, at, signal, isReadable) => {
        const ask = () =>
          this.#ask(
            upstream,
            'light',
            { path, request, height: at },
            { signal, timeoutMs: aloneMs },
            isReadable,
          )
        try {
          return (await this.selector.attempt(upstream, ask, signal)).response
        } catch (error) {
          throw toQueryError(error)
        }
      },
    }))
  }

  /** Asks one node. Its response is proven where it can be, and of a state that is kept. */
  async #ask(
    upstream: Upstream,
    weight: CallWeight,
    asked: AskedOfNode,
    options: CallOptions,
    isReadable?: ResponseCheck,
  ): Promise<StateAnswer> {
    const { height } = asked
    // What comes from a state that is not there any more is neither a response nor a lie, and the same holds for what cannot be read.
    const answer = this.#answer(upstream, weight, asked, options).then((response) => {
      if (isReadable?.(response) === false) throw new NativeQueryError('unavailable', unreadableAnswer)
      return response
    })
    const proof = this.#proveState(
      upstream,
      height === undefined ? undefined : { ...asked, height },
      options,
      answer,
    )
    const [response, outcome] = await Promise.all([answer, proof])
    return { response, outcome }
  }

  async prove(store: string, key: Uint8Array, height: number, signal: AbortSignal): Promise<ProvenValue> {
    const need: CallRequirements = { weight: 'light', kind: 'state', height }
    try {
      return await this.selector.callAny(need, signal, async (upstream, options) => {
        const began = Date.now()
        const node = toProvingNode(upstream, options)
        const value = await node.prove(store, key, height)
        await this.#stateProofs?.checkGiven(store, key, height, value, node)
        await this.#checkState(upstream, height, options, began)
        return value
      })
    } catch (error) {
      throw toQueryError(error)
    }
  }

  async #answer(
    upstream: Upstream,
    weight: CallWeight,
    { path, request, height }: AskedOfNode,
    options: CallOptions,
  ): Promise<Uint8Array> {
    const began = Date.now()
    const check = (): Promise<void> => this.#checkState(upstream, height, options, began)
    let response: Uint8Array
    try {
      response = await upstream.query(path, request, height, weight, options)
    } catch (error) {
      // What a module rejects, or panics over, may be so for want of the state.
      if (isOfModule(toQueryError(error))) await check()
      throw error
    }
    await check()
    return response
  }

  async #proveState(
    upstream: Upstream,
    asked: AskedState | undefined,
    options: CallOptions,
    answer: Promise<Uint8Array>,
  ): Promise<StateOutcome | undefined> {
    if (asked === undefined) return undefined
    return this.#stateProofs?.check(asked, toProvingNode(upstream, options), answer)
  }

  async #checkState(
    upstream: Upstream,
    height: number | undefined,
    options: CallOptions,
    began: number,
  ): Promise<void> {
    const leftMs = options.timeoutMs - (Date.now() - began)
    if (height !== undefined) await this.#stateChecks?.check(upstream, height, options, leftMs)
  }

  async status(signal: AbortSignal): Promise<NodeStatus> {
    return parseStatus(await this.#call('status', {}, light, signal, parseStatus))
  }

  async netInfo(signal: AbortSignal): Promise<NetInfo> {
    return parseNetInfo(await this.#call('net_info', {}, light, signal, parseNetInfo))
  }

  async validators(height: number, signal: AbortSignal): Promise<readonly NodeValidator[]> {
    const found: NodeValidator[] = []
    const need: CallRequirements = { weight: 'light', kind: 'block', height }
    for (let page = 1; ; page++) {
      const params = { height: String(height), page: String(page), per_page: String(perPage) }
      const { validators, total } = parseValidators(
        await this.#call('validators', params, need, signal, parseValidators),
      )
      found.push(...validators)
      if (validators.length === 0 || found.length >= total) return found
    }
  }

  /**
   * Broadcasts a transaction to a mempool. It may be sent twice, because its bytes are the same for every upstream: a
   * node that does not answer in its part of the time is left for the next one.
   */
  async broadcast(
    transaction: Uint8Array,
    signal: AbortSignal,
    { onAsk, onUnknown, timeoutMs = broadcastTimeoutMs, asked, refusedBy }: SendOptions = {},
  ): Promise<BroadcastResponse> {
    const params = { tx: Buffer.from(transaction).toString('base64') }
    // By HTTP, because some nodes never answer for some bytes (conversion rules, 8.2), and other calls would wait
    // behind.
    const need: CallRequirements = {
      weight: 'heavy',
      kind: 'any',
      isSend: true,
      timeoutMs,
      asked,
      refusedBy,
    }
    return this.selector.callAny(need, signal, async (upstream, options) => {
      onAsk?.(upstream.name)
      try {
        return parseBroadcast(await upstream.rpc('broadcast_tx_sync', params, 'heavy', options))
      } catch (error) {
        if (!isUndelivered(error)) onUnknown?.()
        throw error
      }
    })
  }

  /** Returns whether a transaction can be sent to a node that has not rejected it. */
  canSendElsewhere(refusedBy: readonly string[]): boolean {
    return this.selector.canSendElsewhere(refusedBy)
  }

  /** Has nodes asked last for a while that rejected a transaction which another one took. */
  onContradicted(nodes: readonly string[]): void {
    this.selector.onContradicted(nodes)
  }

  /** Returns the transactions in the mempool of an upstream: at most 100, and none from nodes with an app mempool. */
  async unconfirmedTxs(limit: number, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const params = { limit: String(Math.min(limit, perPage)) }
    return parseUnconfirmed(await this.#call('unconfirmed_txs', params, light, signal, parseUnconfirmed))
  }

  /**
   * Returns the reply of `block` unchanged, after checking that it is of the chain, has the hashes of its header, and is
   * the stored block if that is there.
   */
  block(height: number, signal: AbortSignal): Promise<unknown> {
    const need: CallRequirements = { weight: 'light', kind: 'block', height }
    return this.#call('block', { height: String(height) }, need, signal, (reply) => {
      const block = parseBlock(reply)
      verifyBlock(block, { chainId: this.selector.chainId ?? '', height })
      const stored = this.#storedHash(height)
      // Who is wrong is not known here, where the stored one is not proven: another node is asked.
      if (stored !== undefined && !equalBytes(block.hash, stored))
        throw new NativeQueryError('unavailable', `the block ${height} of the node is not the stored one`)
    })
  }

  /** Returns the header of a block with the votes for it, unchanged. */
  async signedHeader(height: number, signal: AbortSignal): Promise<unknown> {
    const need: CallRequirements = { weight: 'light', kind: 'block', height }
    const reply = await this.#call('commit', { height: String(height) }, need, signal, (reply) => {
      const stored = this.#storedHash(height)
      if (stored !== undefined && !equalBytes(headerHash(parseCommitReply(reply).header), stored))
        throw new NativeQueryError('unavailable', `the header ${height} of the node is not the stored one`)
    })
    return parseObject(reply, 'commit').signed_header
  }

  /** Returns the reply of `block_results` unchanged. */
  blockResults(height: number, signal: AbortSignal): Promise<unknown> {
    const need: CallRequirements = { weight: 'heavy', kind: 'block', height }
    return this.#call('block_results', { height: String(height) }, need, signal, (reply) => {
      const results = parseResults(reply)
      if (results.height !== height)
        throw new UpstreamError(`requested results of ${height}, got ${results.height}`)
    })
  }

  /** Returns `max_gas` at a height; -1 means no limit. */
  async consensusParams(height: number, signal: AbortSignal): Promise<bigint> {
    const need: CallRequirements = { weight: 'light', kind: 'block', height }
    return parseMaxGas(
      await this.#call('consensus_params', { height: String(height) }, need, signal, parseMaxGas),
    )
  }

  /** Returns the reply of `tx` unchanged; undefined if the upstream's index does not have it. */
  async txByHash(hash: Uint8Array, signal: AbortSignal): Promise<unknown> {
    const params = { hash: Buffer.from(hash).toString('base64'), prove: false }
    try {
      return await this.#call('tx', params, light, signal, () => undefined)
    } catch (error) {
      if (error instanceof NativeQueryError && /not found/.test(error.message)) return undefined
      throw error
    }
  }

  /** Puts an upstream into quarantine whose responses are wrong: a node that is proven to have lied does not leave it early. */
  quarantine(node: string, reason: string, isLie: boolean): void {
    const upstream = this.selector.find(node)
    if (upstream) this.selector.quarantine(upstream, reason, isLie)
  }

  /** Returns whether no upstream can be asked. */
  isAway(): boolean {
    return this.selector.stats().every(({ state }) => state !== 'ready')
  }

  stats(): {
    readonly upstreams: readonly UpstreamStats[]
    readonly joinedCalls: number
    readonly hedgedCalls: number
  } {
    return {
      upstreams: this.selector.stats(),
      joinedCalls: this.#queries.joined + this.#replies.joined,
      hedgedCalls: this.selector.hedgedCalls,
    }
  }

  close(): void {
    this.selector.close()
  }

  /** Calls a method of CometBFT's RPC and checks the reply. Equal calls in flight are made once. */
  #call(
    method: string,
    params: object,
    requirements: CallRequirements,
    signal: AbortSignal,
    check: (reply: unknown) => unknown,
  ): Promise<unknown> {
    return this.#replies
      .run(`${method} ${JSON.stringify(params)}`, signal, (shared) =>
        this.selector.callAny(requirements, shared, async (upstream, options) => {
          const reply = await upstream.rpc(method, params, requirements.weight, options)
          check(reply)
          return reply
        }),
      )
      .catch((error: unknown) => {
        throw toQueryError(error)
      })
  }
}

/** Returns the node as one that proves. All that it is asked for has the time of one call together. */
export const toProvingNode = (upstream: Upstream, options: CallOptions): ProvingNode => {
  const endsAt = Date.now() + options.timeoutMs
  const ask = (method: string, params: object): Promise<unknown> =>
    upstream.rpc(method, params, 'light', { ...options, timeoutMs: Math.max(0, endsAt - Date.now()) })
  const prove: ProvingNode['prove'] = async (store, key, height) =>
    parseAbciQuery(await ask('abci_query', abciQueryParams(`store/${store}/key`, key, height, true)), height)
  const signedHeader: ProvingNode['signedHeader'] = async (height) =>
    parseCommitReply(await ask('commit', { height: String(height) }))
  // What it says is logged where the proof is judged, before the call has failed.
  const redact = (error: unknown): never => {
    throw upstream.redact(error)
  }
  return {
    name: upstream.name,
    prove: (...asked) => prove(...asked).catch(redact),
    signedHeader: (height) => signedHeader(height).catch(redact),
  }
}

const light: CallRequirements = { weight: 'light', kind: 'any' }

/** Returns whether an error is what a module made of a state, and not what is between it and here. */
const isOfModule = (error: Error): boolean =>
  error instanceof NativeQueryError && (error.kind === 'refused' || isPanic(error.message))
