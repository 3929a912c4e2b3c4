import { CircuitBreaker } from '../client/circuitBreaker.ts'
import type { PeerCall } from './peerCall.ts'

/** The answer of a peer: a result, or the error that the caller gets. */
export type PeerAnswer =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

/** Thrown if a peer did not answer. */
export class PeerAwayError extends Error {
  override readonly name = 'PeerAwayError'
}

export interface PeerRequest {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The address of the client for whom it is asked, by which the peer limits rates. */
  readonly client?: string | undefined
}

const maxAnswerBytes = 64 * 1024 * 1024

const parseAnswer = (text: string): PeerAnswer => {
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: PeerAnswer['error'] }
  if (error === undefined) return { result: result ?? null }
  const { code, message, data } = error
  if (!Number.isInteger(code) || typeof message !== 'string') throw new Error('the error has no code')
  return { error: data === undefined ? { code, message } : { code, message, data } }
}

/** Another replica. */
export class Peer {
  readonly replica: number
  readonly #url: string
  readonly #now: () => number
  readonly #breaker = new CircuitBreaker()
  #awaySince: number | undefined

  constructor(replica: number, url: string, now: () => number) {
    this.replica = replica
    this.#url = url
    this.#now = now
  }

  /** For how long it has not answered, in milliseconds; 0 if it did when it was asked last. */
  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : this.#now() - this.#awaySince
  }

  /** Calls the peer. Throws `PeerAwayError` if it does not answer. */
  async call(call: PeerCall, request: PeerRequest): Promise<PeerAnswer> {
    if (!this.#breaker.allows(this.#now())) throw new PeerAwayError(`replica ${this.replica} does not answer`)
    this.#breaker.onStart()
    try {
      const answer = parseAnswer(await this.#post(call, request))
      this.#breaker.onSuccess()
      this.#awaySince = undefined
      return answer
    } catch {
      // The reason may hold the URL, which may hold a key.
      if (request.signal.aborted) this.#breaker.onCancelled()
      else {
        this.#breaker.onFailure(this.#now())
        this.#awaySince ??= this.#now()
      }
      throw new PeerAwayError(`replica ${this.replica} does not answer`)
    }
  }

  async #post(call: PeerCall, { signal, timeoutMs, client }: PeerRequest): Promise<string> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(client === undefined ? {} : { 'x-forwarded-for': client }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'replica_call', params: [call] }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const length = Number(response.headers.get('content-length') ?? 0)
    if (response.status !== 200 || length > maxAnswerBytes) {
      await response.body?.cancel()
      throw new Error(`status ${response.status}, ${length} bytes`)
    }
    return response.text()
  }
}
