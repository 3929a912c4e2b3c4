import { sleep } from '../../base/async/sleep.ts'
import { printable } from '../../base/encoding/printable.ts'
import { HttpPoster, type PostResponse } from '../../base/http/httpPoster.ts'
import { parseRetryAfter } from '../../base/http/retryAfter.ts'
import { Redaction } from '../../base/logging/redaction.ts'
import { ChainError, unavailable } from '../../chain/chainError.ts'
import type { RemoteSettings } from '../settings.ts'
import { type Answer, isRateLimit, isTransient, readAnswers } from './answers.ts'
import { RateGate } from './rateGate.ts'

export interface RemoteCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The calls of one body, until the remote takes fewer only. */
const firstBatchSize = 100
const maxSockets = 8
/** Far above what a node answers a batch with. */
const maxResponseBytes = 256 * 2 ** 20
/** The longest pause between two tries. A remote that wants a longer one is given up for now. */
const maxPauseMs = 60_000

/** The most that is quoted of what the remote says, in characters. */
const maxShown = 500

/** The outcome of one try of some calls. */
type Try =
  | { readonly kind: 'answered'; readonly answers: readonly Answer[] }
  /** The body was too long for the remote. */
  | { readonly kind: 'split' }
  | {
      readonly kind: 'again'
      readonly why: string
      readonly pauseMs?: number | undefined
      readonly isLimit: boolean
    }
  | { readonly kind: 'failed'; readonly why: string }

export interface AskOptions {
  readonly signal?: AbortSignal | undefined
  /** Whether errors that the remote answers are returned at once, unless they are about the rate. */
  readonly takesErrors?: boolean
  /** Whether a remote that cannot be reached, or is in trouble, is reported at once; a rate limit is waited for. */
  readonly isPrompt?: boolean
}

export interface RemoteCounters {
  /** The calls that were sent, repetitions included, and the bodies that they were sent in. */
  calls: number
  bodies: number
  /** The bodies that were sent again. */
  retries: number
}

/**
 * Asks a remote node over JSON-RPC, many calls in one body. What fails is repeated after a pause, and a remote that limits
 * the rate is asked nothing until it may be asked again. No error has the URL or a key in it.
 */
export class RemoteClient {
  readonly redaction: Redaction
  readonly counters: RemoteCounters = { calls: 0, bodies: 0, retries: 0 }
  readonly #settings: RemoteSettings
  readonly #poster: HttpPoster
  readonly #gate: RateGate
  #interruption = new AbortController()
  #isClosed = false
  #batchSize = firstBatchSize

  constructor(settings: RemoteSettings) {
    const { url, headers, timeoutMs, computeUnits } = settings
    this.#settings = settings
    this.redaction = new Redaction(url, headers)
    this.#gate = new RateGate(computeUnits)
    this.#poster = new HttpPoster(url, {
      maxSockets,
      idleTimeoutMs: timeoutMs,
      timeoutMs,
      maxResponseBytes,
      headers,
    })
  }

  /** Returns the responses in the order of the calls. Throws a `ChainError` if the remote does not answer all of them. */
  async batch(calls: readonly RemoteCall[], options: AskOptions = {}): Promise<Answer[]> {
    const answers: Answer[] = []
    while (answers.length < calls.length) {
      const part = calls.slice(answers.length, answers.length + this.#batchSize)
      const answered = await this.#askUntilAnswered(part, options)
      // Otherwise fewer are asked at once from now on.
      if (answered !== undefined) answers.push(...answered)
    }
    return answers
  }

  /** Returns the response to one call. */
  async ask(call: RemoteCall, options: AskOptions = {}): Promise<Answer> {
    const [answer] = await this.batch([call], options)
    return answer as Answer // one for each call
  }

  /** Ends what is under way and has no signal of its own. */
  interrupt(): void {
    this.#interruption.abort()
    this.#interruption = new AbortController()
  }

  /** Ends everything that is under way; nothing is asked any more. */
  close(): void {
    this.#isClosed = true
    this.#interruption.abort()
    this.#poster.close()
  }

  /** Returns undefined if the remote takes fewer calls at once only. */
  async #askUntilAnswered(
    calls: readonly RemoteCall[],
    { signal = this.#interruption.signal, takesErrors = false, isPrompt = false }: AskOptions,
  ): Promise<readonly Answer[] | undefined> {
    const { retries, backoffMs } = this.#settings
    for (let attempt = 0; ; attempt++) {
      await this.#gate.pass(calls.length, signal)
      this.#assertWanted(signal)
      this.counters.calls += calls.length
      this.counters.bodies++
      const tried = await this.#try(calls, signal, takesErrors)
      if (tried.kind === 'answered') return tried.answers
      if (tried.kind === 'split') {
        this.#batchSize = Math.max(1, Math.floor(calls.length / 2))
        return undefined
      }
      this.#assertWanted(signal)
      if (tried.kind === 'failed' || (isPrompt && !tried.isLimit))
        throw this.#error(tried.why, tried.kind === 'failed')
      const pauseMs = tried.pauseMs ?? Math.min(backoffMs * 2 ** attempt, maxPauseMs)
      if (attempt >= retries) throw this.#error(`${tried.why} (asked ${attempt + 1} times)`)
      if (pauseMs > maxPauseMs)
        throw this.#error(`${tried.why}, and asks to wait for ${Math.ceil(pauseMs / 1000)} s`)
      this.counters.retries++
      if (tried.isLimit) this.#gate.pause(pauseMs)
      else await sleep(pauseMs, signal)
    }
  }

  #assertWanted(signal: AbortSignal): void {
    if (signal.aborted || this.#isClosed) throw unavailable('request to the remote abandoned; try again')
  }

  async #try(calls: readonly RemoteCall[], signal: AbortSignal, takesErrors: boolean): Promise<Try> {
    const bodies = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    let response: PostResponse
    try {
      // One call alone is not a batch: not every remote takes those.
      response = await this.#poster.post(JSON.stringify(bodies.length === 1 ? bodies[0] : bodies), { signal })
    } catch (error) {
      return { kind: 'again', why: `cannot be reached: ${(error as Error).message}`, isLimit: false }
    }
    return this.#read(response, calls, takesErrors)
  }

  /**
   * Whoever may name the remote (`anvil_reset`) reads the error: it tells the status, never the body, which may be that of
   * any service that this node reaches.
   */
  #read({ status, text, retryAfter }: PostResponse, calls: readonly RemoteCall[], takesErrors: boolean): Try {
    const pauseMs = parseRetryAfter(retryAfter, Date.now())
    if (status === 429) return { kind: 'again', why: 'limits the rate of requests', pauseMs, isLimit: true }
    if (status >= 500 || status === 408)
      return { kind: 'again', why: `answers ${status}`, pauseMs, isLimit: pauseMs !== undefined }
    const read = readAnswers(text, calls.length)
    if (read.kind === 'all') {
      const { error } = read.answer ?? {}
      if (error !== undefined && isRateLimit(error, pauseMs !== undefined))
        return { kind: 'again', why: `limits the rate of requests: ${error.message}`, pauseMs, isLimit: true }
      if (calls.length > 1 && (status === 200 || status === 400 || status === 413)) return { kind: 'split' }
      return status === 200
        ? { kind: 'again', why: 'returns an invalid JSON-RPC response', isLimit: false }
        : { kind: 'failed', why: `answers ${status}` }
    }
    for (const { error } of read.answers) {
      if (error === undefined) continue
      if (isRateLimit(error, pauseMs !== undefined))
        return { kind: 'again', why: `limits the rate of requests: ${error.message}`, pauseMs, isLimit: true }
      if (!takesErrors && isTransient(error))
        return { kind: 'again', why: `answers: ${error.message}`, isLimit: false }
    }
    return { kind: 'answered', answers: read.answers }
  }

  #error(why: string, isLasting = false): ChainError {
    return new ChainError('unavailable', describeRemote(this.redaction, why), { isLasting })
  }
}

/** Returns what is wrong with a remote, which it may have worded itself: in one line of limited length, without keys. */
export const describeRemote = (redaction: Redaction, why: string): string =>
  `the remote ${redaction.shownUrl} ${printable(redaction.clean(why), maxShown)}`
