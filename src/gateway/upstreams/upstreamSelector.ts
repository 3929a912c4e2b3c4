import type { Logger } from '../../base/logging/log.ts'
import { showUrl } from '../../base/logging/redaction.ts'
import type { CallOptions } from '../../comet/client/httpClient.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import { toQueryError } from '../../comet/data/queryErrors.ts'
import { commonRefusal, isAboutQuestion } from '../../comet/data/refusals.ts'
import type { NodeStatus } from '../../comet/data/replies.ts'
import { parseNodeUrl } from '../../comet/data/replyEnvelope.ts'
import { RateLimitError } from '../../comet/data/transportErrors.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { Backoffs } from './choice/backoffs.ts'
import { type Attempt, HedgeBudget, raceAttempts } from './choice/hedge.ts'
import {
  type CallRequirements,
  doubtedUntil,
  isFinalRefusal,
  mayAnswer,
  orderUpstreams,
} from './choice/order.ts'
import type { UpstreamAddress } from './choice/upstreamAddress.ts'
import { UpstreamWatch } from './choice/upstreamWatch.ts'
import { Upstream, type UpstreamStats } from './upstream.ts'

export interface UpstreamsOptions {
  /** The upstreams in order of preference. */
  readonly nodes: readonly UpstreamAddress[]
  /** CometBFT's id of the chain; undefined: that of the first upstream that answers. */
  readonly chainId?: string | undefined
  /** The timeout of a call over all upstreams that are tried. */
  readonly callTimeoutMs?: number
  /** The time for one attempt of a light call or a broadcast if another upstream can be tried afterwards. */
  readonly attemptMs?: number
  /** The timeout of executions and traces. */
  readonly heavyTimeoutMs?: number
  /** How often a quarantined upstream is checked for its health. */
  readonly probeEveryMs?: number
  /** How many blocks an upstream may be behind the others before these are preferred. */
  readonly maxLag?: number
  /** How long a read may take before another upstream is asked beside; 0: none is. */
  readonly hedgeAfterMs?: number
  /** Called with each lie that is proven by what an upstream was asked here, before it is quarantined. */
  readonly onLie?: ((node: string, lie: ProvenLie) => void) | undefined
}

/** The upstreams of a chain. It decides which can be asked, which are trusted, and which is next if one fails. */
export class UpstreamSelector {
  /** The newest block of the store, which is set as it grows. */
  storedHeight: number | undefined
  readonly #upstreams: readonly Upstream[]
  readonly #log: Logger
  readonly #callTimeoutMs: number
  readonly #attemptMs: number
  readonly #heavyTimeoutMs: number
  readonly #maxLag: number
  readonly #hedgeAfterMs: number | undefined
  readonly #hedges = new HedgeBudget()
  /** The nodes that did not answer for transactions are not asked first, also if they tell their status all the same. */
  readonly #sendBackoffs = new Backoffs()
  readonly #watch: UpstreamWatch
  readonly #onLie: UpstreamsOptions['onLie']

  constructor(options: UpstreamsOptions, log: Logger) {
    if (options.nodes.length === 0) throw new TypeError('at least one node is needed')
    const names = nameNodes(options.nodes)
    this.#log = log
    this.#upstreams = options.nodes.map((address, index) => {
      const node = names[index] ?? ''
      return new Upstream(address, node, (reason) => this.#tellOfGrpc(node, address.grpc, reason))
    })
    this.#onLie = options.onLie
    this.#callTimeoutMs = options.callTimeoutMs ?? 10_000
    this.#attemptMs = options.attemptMs ?? 3_000
    this.#heavyTimeoutMs = options.heavyTimeoutMs ?? 60_000
    this.#watch = new UpstreamWatch(
      { chainId: options.chainId, probeEveryMs: options.probeEveryMs ?? 10_000 },
      {
        upstreams: this.#upstreams,
        attempt: (upstream, work, signal) => this.attempt(upstream, work, signal),
        log,
      },
    )
    this.#maxLag = options.maxLag ?? Number.POSITIVE_INFINITY
    this.#hedgeAfterMs = options.hedgeAfterMs || undefined
  }

  /**
   * Fetches the status of every upstream, and throws if none can be used. The upstreams are watched from then on, even
   * if it throws.
   */
  async open(signal: AbortSignal): Promise<NodeStatus> {
    const problems: string[] = []
    const check = (upstream: Upstream): Promise<void> =>
      this.check(upstream, signal).catch((problem: Error) => {
        problems.push(`${upstream.name}: ${problem.message}`)
      })
    // The first upstream that answers determines the chain, in order of preference; the others are asked all at once.
    const left = [...this.#upstreams]
    while (this.#watch.chainId === undefined && left.length > 0) await check(left.shift() as Upstream)
    await Promise.all(left.map(check))
    this.#watch.start()
    const first = this.#upstreams.find(({ status }) => status !== undefined)?.status
    if (!first) throw new NativeQueryError('unavailable', `no node can be used: ${problems.join('; ')}`)
    return first
  }

  /** Fetches the status of an upstream, which is the one call that may try one that did not answer. Throws what is wrong with it. */
  check(upstream: Upstream, signal: AbortSignal): Promise<void> {
    return this.#watch.check(upstream, signal)
  }

  /** Names the chain that the upstreams must be of, if none has answered yet. */
  expectChain(chainId: string): void {
    this.#watch.chainId ??= chainId
  }

  /** The chain's id; undefined before an upstream has answered. */
  get chainId(): string | undefined {
    return this.#watch.chainId
  }

  /** Returns the lowest heights that any upstream has, as far as they are known. */
  earliest(): { readonly block: number; readonly state: number } {
    const known = this.#upstreams.filter(({ status }) => status !== undefined)
    return {
      block: Math.min(...known.map(({ status }) => status?.earliestHeight ?? 1)),
      state: Math.min(...known.map(({ earliestState }) => earliestState)),
    }
  }

  /** The number of reads for which a second upstream was asked beside a slow one. */
  get hedgedCalls(): number {
    return this.#hedges.used
  }

  /** Tries one upstream after the other until one succeeds. A read that is slow is asked of a second one beside. */
  callAny<T>(
    requirements: CallRequirements,
    signal: AbortSignal,
    work: (upstream: Upstream, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const { weight, kind, height, isSend = false } = requirements
    const byWeightMs = weight === 'heavy' ? this.#heavyTimeoutMs : this.#callTimeoutMs
    const endsAt = Date.now() + (requirements.timeoutMs ?? byWeightMs)
    const tried = new Set<Upstream>()
    let isConfirmed = false
    const errors: NativeQueryError[] = []
    this.#hedges.onCall()
    const next = (isSecond: boolean): Attempt<T> | undefined => {
      const candidates = this.candidates(requirements).filter((upstream) => !tried.has(upstream))
      const [upstream, other] = candidates
      const left = endsAt - Date.now()
      if (!upstream || left <= 0) return undefined
      // One of the nodes that pruned the state is asked again. Asking more of them would multiply requests that fail.
      const isDoubted = doubtedUntil(upstream, requirements) > 0
      if (isDoubted && (isConfirmed || (isSecond && weight === 'light'))) return undefined
      if (isSecond && !this.#hedges.take()) return undefined
      tried.add(upstream)
      // A node that may have it is not cut short for a node that most likely has not.
      const hasOther = other !== undefined && (isDoubted || doubtedUntil(other, requirements) === 0)
      const isShort = hasOther && (weight === 'light' || isSend)
      const timeoutMs = isShort ? Math.min(left, this.#attemptMs) : left
      return async (either) => {
        try {
          const answer = await this.attempt(
            upstream,
            () => work(upstream, { signal: either, timeoutMs }),
            either,
          )
          if (isSend) this.#sendBackoffs.onSuccess(upstream.name)
          if (kind === 'state' && height !== undefined) upstream.markKept(height)
          return answer
        } catch (error) {
          const problem = this.#learn(upstream, toQueryError(error), requirements, either)
          isConfirmed ||= isDoubted && problem instanceof NativeQueryError && problem.kind === 'pruned'
          throw problem
        }
      }
    }
    const onFailure = (problem: unknown): void => {
      if (signal.aborted) throw problem
      if (problem instanceof UpstreamError)
        return void errors.push(new NativeQueryError('unavailable', problem.message))
      if (!(problem instanceof NativeQueryError)) throw problem
      const { kind: refusal, message } = problem
      if (refusal === 'unknown path' && !isSend) throw problem
      if (refusal === 'refused' && isFinalRefusal(requirements, message)) throw problem
      errors.push(problem)
    }
    return raceAttempts(next, onFailure, () => this.#noUpstreamError(requirements, errors), {
      signal,
      hedgeAfterMs: isSend ? undefined : this.#hedgeAfterMs,
    })
  }

  /** Records what the failure of a call says about later calls of its kind. Returns the error that it is. */
  #learn(
    upstream: Upstream,
    problem: Error,
    { kind, height, isSend }: CallRequirements,
    signal: AbortSignal,
  ): Error {
    if (!(problem instanceof NativeQueryError)) return problem
    const now = Date.now()
    if (problem.kind === 'pruned' && kind === 'state' && height !== undefined)
      return upstream.markPruned(height, now)
        ? problem
        : new NativeQueryError('future height', problem.message)
    if (!isSend || signal.aborted) return problem
    if (problem.kind === 'unavailable') this.#sendBackoffs.onFailure(upstream.name, now)
    else this.#sendBackoffs.onSuccess(upstream.name)
    return problem
  }

  /** Runs a call and records its success or failure for the upstream. */
  async attempt<T>(upstream: Upstream, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    upstream.breaker.onStart()
    try {
      const result = await work()
      if (upstream.breaker.isOpen) this.#log.info({ node: upstream.name }, 'the node answers again')
      upstream.breaker.onSuccess()
      return result
    } catch (error) {
      const problem = toQueryError(upstream.redact(error))
      if (signal.aborted) upstream.breaker.onCancelled()
      else if (error instanceof RateLimitError) this.#leaveAlone(upstream, error)
      else if (problem instanceof ProvenLie) this.#onProvenLie(upstream, problem)
      else if (problem instanceof UpstreamError) this.quarantine(upstream, problem.message, false)
      // A client that finds such a request must not close the node to others by it.
      else if (isUnavailable(problem) && !isAboutQuestion(problem.message))
        this.#countFailure(upstream, problem.message)
      else upstream.breaker.onSuccess()
      throw error
    }
  }

  /** Reports a lie. Calls that were in flight with the one that was found out often end in the same lie, which adds nothing. */
  #onProvenLie(upstream: Upstream, lie: ProvenLie): void {
    if (upstream.isQuarantinedForLie(Date.now())) return
    this.#onLie?.(upstream.name, lie)
    this.quarantine(upstream, lie.message, true)
  }

  /** Counts a failure; one line reports the failure after which the upstream is avoided for a while. */
  #countFailure({ breaker, name: node }: Upstream, reason: string): void {
    const wasOpen = breaker.isOpen
    breaker.onFailure(Date.now())
    if (!wasOpen && breaker.isOpen) this.#log.warn({ node, reason }, 'the node does not answer')
  }

  #tellOfGrpc(node: string, grpc: string | undefined, reason: string | undefined): void {
    if (reason === undefined) this.#log.info({ node, grpc }, 'the gRPC of the node answers again')
    else
      this.#log.warn(
        { node, grpc, reason },
        'the gRPC of the node does not answer: what it is asked goes through CometBFT; is gateway.grpc right?',
      )
  }

  #leaveAlone(upstream: Upstream, { pauseMs, message }: RateLimitError): void {
    const now = Date.now()
    if (!upstream.breaker.isPaused(now))
      this.#log.warn({ node: upstream.name, reason: message }, 'a node is left alone')
    upstream.breaker.onLimited(now + pauseMs)
  }

  /**
   * Returns whether a transaction can be sent to a node that has not rejected it. A node that lags would check it against
   * an old state.
   */
  canSendElsewhere(refusedBy: readonly string[]): boolean {
    const nodes = this.candidates({ weight: 'heavy', kind: 'any', isSend: true })
    const newest = Math.max(...nodes.map(({ status }) => status?.latestHeight ?? 0))
    return nodes.some(
      ({ name, status }) => !refusedBy.includes(name) && (status?.latestHeight ?? 0) + this.#maxLag >= newest,
    )
  }

  /**
   * Has nodes asked after the others for a while that rejected a transaction which another one took. That is not proof of a
   * lie: a client can send to a mempool what conflicts with what it sends here.
   */
  onContradicted(names: readonly string[]): void {
    const now = Date.now()
    for (const node of names) {
      if (this.#sendBackoffs.until(node) <= now)
        this.#log.warn({ node }, 'a node rejected a transaction that another node accepted: it is asked last')
      this.#sendBackoffs.onFailure(node, now)
    }
  }

  /** How many upstreams serve reads, whether they can be asked now or not. */
  get readers(): number {
    return this.#upstreams.filter(({ address }) => mayAnswer(address, false)).length
  }

  /** Returns the upstreams that can be asked and may have the response, the best first. */
  candidates(need: CallRequirements): readonly Upstream[] {
    const now = Date.now()
    const usable = this.#upstreams.filter(
      (upstream) =>
        upstream.status !== undefined &&
        upstream.quarantineReason(now) === undefined &&
        upstream.breaker.allows(now),
    )
    const { storedHeight } = this
    const isAvoided = (name: string): boolean => need.isSend === true && this.#sendBackoffs.until(name) > now
    return orderUpstreams(usable, need, {
      maxLag: this.#maxLag,
      storedHeight,
      isAvoided,
      random: Math.random,
    })
  }

  /**
   * Returns the error if no upstream answered. An upstream that cannot be asked now might have the response, so this is
   * `unavailable` and not `pruned`. A rejection counts if all that could be asked agree in it.
   */
  #noUpstreamError(
    { kind, height, isSend }: CallRequirements,
    errors: readonly NativeQueryError[],
  ): NativeQueryError {
    const refusal = isSend ? errors.find((error) => error.kind === 'refused') : commonRefusal(errors)
    if (refusal !== undefined) return refusal
    const now = Date.now()
    const away = this.#upstreams.flatMap((upstream) => {
      const reason = upstream.quarantineReason(now)
      if (reason !== undefined) return [`${upstream.name} is quarantined: ${reason}`]
      const isThere = upstream.status && !upstream.breaker.isOpen && !upstream.breaker.isPaused(now)
      return isThere ? [] : [`${upstream.name} does not answer`]
    })
    const unavailable = errors.find(isUnavailable) ?? errors.find((error) => error.kind === 'refused')
    if (away.length > 0 || unavailable)
      return new NativeQueryError('unavailable', unavailable?.message ?? away.join('; '))
    const other = errors.at(-1)
    if (other) return other
    const { block, state } = this.earliest()
    const earliest = kind === 'state' ? state : block
    return new NativeQueryError(
      'pruned',
      `height ${height} is not kept by any node, the lowest is ${earliest}`,
    )
  }

  quarantine(upstream: Upstream, reason: string, isLie: boolean): void {
    const milliseconds = upstream.quarantine(reason, Date.now(), isLie)
    if (milliseconds === undefined) return
    this.#log.warn(
      { node: upstream.name, reason, seconds: milliseconds / 1_000 },
      'a node said what cannot be, and is not asked for a while',
    )
  }

  find(name: string): Upstream | undefined {
    return this.#upstreams.find((upstream) => upstream.name === name)
  }

  stats(): readonly UpstreamStats[] {
    const now = Date.now()
    return this.#upstreams.map((upstream) => upstream.stats(now))
  }

  close(): void {
    this.#watch.close()
    for (const upstream of this.#upstreams) upstream.close()
  }
}

const isUnavailable = (error: unknown): error is NativeQueryError =>
  error instanceof NativeQueryError && error.kind === 'unavailable'

/** Returns the origins of nodes, which are numbered where there are many at one: keys are all that tells them apart then. */
const nameNodes = (nodes: readonly UpstreamAddress[]): readonly string[] => {
  const shown = nodes.map(({ node }) => showUrl(parseNodeUrl(node).href))
  return shown.map((name, index) => {
    const before = shown.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name} (${before + 1})`
  })
}
