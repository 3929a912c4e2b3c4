import type { PeerAnswer, PeerCall, PeerRequest, SignedAnswer } from '../../chain/port/replicas.ts'
import { CircuitBreaker } from '../client/circuitBreaker.ts'
import { openAnswer } from './peerCall.ts'

/** Thrown if a peer did not answer. */
export class PeerAwayError extends Error {
  override readonly name: string = 'PeerAwayError'
}

/** Thrown if a peer is there and does not do what it is asked: its token, its clock or its release is another one. */
export class PeerRefusedError extends PeerAwayError {
  override readonly name = 'PeerRefusedError'
}

interface PeerOptions {
  readonly replica: number
  readonly url: string
  readonly token: string
  readonly now: () => number
  readonly maxAnswerBytes?: number
}

/** What happened while a peer was not asked for this long is not known. */
const maxUnaskedMs = 60_000

/** The code of a limit that the client has reached: no other replica is to be asked instead. */
const limitExceeded = -32_005

const readText = async (response: Response, maxBytes: number): Promise<string> => {
  const pieces: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the rest.
  for await (const piece of response.body ?? []) {
    size += piece.length
    if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** Another replica. */
export class Peer {
  readonly replica: number
  readonly #options: PeerOptions
  readonly #breaker = new CircuitBreaker()
  #away: { readonly since: number; readonly until: number } | undefined

  constructor(options: PeerOptions) {
    this.replica = options.replica
    this.#options = options
  }

  /** For how long it has not answered whenever it was asked, in milliseconds; 0 if it did when it was asked last. */
  get awayMs(): number {
    return this.#away === undefined ? 0 : this.#away.until - this.#away.since
  }

  /** Calls the peer. Throws `PeerAwayError` if it does not answer, or refuses to. */
  async call(call: PeerCall, request: PeerRequest): Promise<PeerAnswer> {
    const { now } = this.#options
    if (!this.#breaker.allows(now())) throw this.#awayError()
    this.#breaker.onStart()
    let answer: PeerAnswer | PeerRefusedError
    try {
      answer = this.#parse(call, await this.#post(call, request))
    } catch {
      // The reason may hold the URL, which may hold a key.
      if (request.signal.aborted) this.#breaker.onCancelled()
      else {
        this.#breaker.onFailure(now())
        this.#onAway(now())
      }
      throw this.#awayError()
    }
    this.#breaker.onSuccess()
    this.#away = undefined
    if (answer instanceof PeerRefusedError) throw answer
    return answer
  }

  #awayError(): PeerAwayError {
    return new PeerAwayError(`replica ${this.replica} does not answer`)
  }

  #onAway(until: number): void {
    const isKnown = this.#away !== undefined && until - this.#away.until <= maxUnaskedMs
    this.#away = { since: isKnown && this.#away ? this.#away.since : until, until }
  }

  /** Only what is signed is an answer; errors that are not come from what is before the replica, or from its limits. */
  #parse(call: PeerCall, text: string): PeerAnswer | PeerRefusedError {
    const { result, error } = JSON.parse(text) as { result?: SignedAnswer; error?: PeerAnswer['error'] }
    if (error === undefined) return openAnswer(this.#options.token, call, result as SignedAnswer) // throws if it is none
    const { code, message } = error
    return code === limitExceeded
      ? { error: { code, message: String(message) } }
      : new PeerRefusedError(`replica ${this.replica} refuses: ${String(message)}`)
  }

  async #post(call: PeerCall, { signal, timeoutMs, client }: PeerRequest): Promise<string> {
    const { url, maxAnswerBytes = 64 * 1024 * 1024 } = this.#options
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(client === undefined ? {} : { 'x-forwarded-for': client }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'replica_call', params: [call] }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (response.status === 200) return readText(response, maxAnswerBytes)
    await response.body?.cancel()
    throw new Error(`status ${response.status}`)
  }
}
