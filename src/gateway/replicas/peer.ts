import { HttpPoster, NoAnswerInTimeError } from '../../base/http/httpPoster.ts'
import { Redaction } from '../../base/logging/redaction.ts'
import type { PeerAnswer, PeerCall, PeerRequest, SignedAnswer } from '../../chain/port/replicas.ts'
import { CircuitBreaker } from '../upstreams/circuitBreaker.ts'
import { openAnswer, signCall } from './peerCall.ts'

/** Thrown if a peer did not answer. */
export class PeerAwayError extends Error {
  override readonly name: string = 'PeerAwayError'
}

/** Thrown if a peer is there and does not do what it is asked: its token, its clock or its release is another one, or it failed. */
export class PeerRefusedError extends PeerAwayError {
  override readonly name = 'PeerRefusedError'
  /** What the call has to name to be taken; undefined if it is refused whatever it names. */
  readonly instance: string | undefined
  /** Whether it refuses until an operator mends it. A fault of its own may pass. */
  readonly isLasting: boolean

  constructor(message: string, isLasting: boolean, instance?: string) {
    super(message)
    this.isLasting = isLasting
    this.instance = instance
  }
}

interface PeerOptions {
  /** The number of the replica that asks. */
  readonly self: number
  readonly replica: number
  /** What messages call it; undefined means by its number. */
  readonly name?: string
  readonly url: string
  readonly token: string
  readonly now: () => number
  readonly maxAnswerBytes?: number
}

/** One that has not answered for this long is away. That it did not answer a call of less time says that it is busy. */
export const awayAfterMs = 5_000

/** What happened while a peer was not asked for this long is not known. */
const maxUnaskedMs = 60_000

/** More calls wait for a connection. */
const maxSockets = 64
/** Each call says how long it may take; this is for those that say more. */
const idleTimeoutMs = 60_000

/** More of a reason is not told. */
const maxReason = 300

/** Longer than what a replica names itself by. */
const maxInstance = 100

/** The code of a limit that the client has reached: no other replica is to be asked instead. */
const limitExceeded = -32_005

/** The codes of a replica with another token, clock or list, and of one of another release. */
const lastingCodes: readonly number[] = [4_100, -32_601]

/** What a replica, or what stands before it, answers with if it does not let this one in: without a key, or by another name. */
const refusals: readonly number[] = [401, 403]

/** Returns why a call failed. */
const causeOf = (error: unknown): string => {
  // The text is that of the parser, which shows what came.
  if (error instanceof SyntaxError || error instanceof TypeError) return 'it answers something else'
  const { message, code } = error as NodeJS.ErrnoException
  // Node's error of several addresses has no message.
  return message || (code ?? 'no reason is known')
}

/** Another replica. */
export class Peer {
  readonly replica: number
  readonly #name: string
  readonly #redaction: Redaction
  readonly #options: PeerOptions
  readonly #poster: HttpPoster
  readonly #breaker = new CircuitBreaker()
  /** For calls of little time: one that is too slow for them is left out of them, and asked what it has more time for. */
  readonly #hasteBreaker = new CircuitBreaker()
  #away: { readonly since: number; readonly until: number } | undefined
  /** Why it did not answer when it was asked last; undefined if it did. */
  #cause: string | undefined
  /** What it calls itself, as it said when it had just started: calls for it are not refused for having no name. */
  #instance: string | undefined

  constructor(options: PeerOptions) {
    this.replica = options.replica
    this.#name = options.name ?? `replica ${options.replica}`
    this.#redaction = new Redaction(options.url, {})
    this.#options = options
    const { url, maxAnswerBytes = 64 * 1024 * 1024 } = options
    this.#poster = new HttpPoster(url, { maxSockets, idleTimeoutMs, maxResponseBytes: maxAnswerBytes })
  }

  /** For how long it has not answered whenever it was asked, in milliseconds; 0 if it did when it was asked last. */
  get awayMs(): number {
    return this.#away === undefined ? 0 : this.#away.until - this.#away.since
  }

  /**
   * Calls the peer. Throws `PeerAwayError` if it does not answer, or refuses to. One that has just started cannot know what it
   * answered before: it names itself, and the call is made again for it, as are those after it.
   */
  async call(method: string, params: readonly unknown[], request: PeerRequest): Promise<PeerAnswer> {
    const text = JSON.stringify([method, params])
    try {
      return await this.#ask(this.#sign(text), request)
    } catch (error) {
      const instance = error instanceof PeerRefusedError ? error.instance : undefined
      if (instance === undefined) throw error
      this.#instance = instance
      return this.#ask(this.#sign(text), request)
    }
  }

  #sign(call: string): PeerCall {
    const { self, token, now } = this.#options
    const named = this.#instance === undefined ? {} : { instance: this.#instance }
    return signCall(token, { from: self, to: this.replica, time: now(), call, ...named })
  }

  async #ask(call: PeerCall, request: PeerRequest): Promise<PeerAnswer> {
    const { now } = this.#options
    const isHasty = request.timeoutMs < awayAfterMs
    const breakers = isHasty ? [this.#breaker, this.#hasteBreaker] : [this.#breaker]
    if (!breakers.every((breaker) => breaker.allows(now()))) throw this.#awayError()
    for (const breaker of breakers) breaker.onStart()
    let answer: PeerAnswer | PeerRefusedError
    try {
      answer = this.#parse(call, await this.#post(call, request))
    } catch (error) {
      if (request.signal.aborted) for (const breaker of breakers) breaker.onCancelled()
      else this.#onFailure(error, isHasty)
      throw this.#awayError()
    }
    for (const breaker of breakers) breaker.onSuccess()
    this.#away = undefined
    this.#cause = undefined
    if (answer instanceof PeerRefusedError) throw answer
    return answer
  }

  /** Ends its connections. */
  close(): void {
    this.#poster.close()
  }

  #awayError(): PeerAwayError {
    return new PeerAwayError(
      `${this.#name} does not answer${this.#cause === undefined ? '' : `: ${this.#cause}`}`,
    )
  }

  #onFailure(error: unknown, isHasty: boolean): void {
    const until = this.#options.now()
    this.#cause = this.#redaction.clean(causeOf(error))
    const isSlow = isHasty && error instanceof NoAnswerInTimeError
    const [tried, other] = isSlow ? [this.#hasteBreaker, this.#breaker] : [this.#breaker, this.#hasteBreaker]
    tried.onFailure(until)
    if (isHasty) other.onCancelled()
    if (isSlow) return
    const isKnown = this.#away !== undefined && until - this.#away.until <= maxUnaskedMs
    this.#away = { since: isKnown && this.#away ? this.#away.since : until, until }
  }

  /** Only what is signed is an answer; errors that are not come from what is before the replica, or from its limits. */
  #parse(call: PeerCall, text: string | PeerRefusedError): PeerAnswer | PeerRefusedError {
    if (text instanceof PeerRefusedError) return text
    const { result, error } = JSON.parse(text) as { result?: SignedAnswer; error?: PeerAnswer['error'] }
    if (error === undefined) return openAnswer(this.#options.token, call, result as SignedAnswer) // throws if it is none
    const { code, message, data } = error
    if (code === limitExceeded) return { error: { code, message: String(message) } }
    const { instance } = (data ?? {}) as { instance?: unknown }
    return this.#refusal(
      String(message),
      lastingCodes.includes(code),
      typeof instance === 'string' && instance.length <= maxInstance ? instance : undefined,
    )
  }

  #refusal(reason: string, isLasting: boolean, instance?: string): PeerRefusedError {
    const shown = this.#redaction.clean(reason.trim()).slice(0, maxReason)
    return new PeerRefusedError(`${this.#name} refuses: ${shown}`, isLasting, instance)
  }

  /** Returns the text of an answer, or that this replica is not let in. */
  async #post(
    call: PeerCall,
    { signal, timeoutMs, client }: PeerRequest,
  ): Promise<string | PeerRefusedError> {
    const content = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'replica_call', params: [call] })
    const headers = client === undefined ? undefined : { 'x-forwarded-for': client }
    const { status, text } = await this.#poster.post(content, { signal, timeoutMs, headers })
    if (refusals.includes(status)) return this.#refusal(`status ${status} ${text}`, true)
    if (status !== 200) throw new Error(`status ${status}`)
    return text
  }
}
