import { concatBytes, emptyBytes } from '../../base/encoding/bytes.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { hasMoreJsonValues } from '../../base/json/jsonTokens.ts'
import { codes, LightError } from '../lightError.ts'

/** Thrown where an endpoint does not answer, or not in JSON-RPC. It proves nothing against it. */
export class EndpointFailure extends LightError {
  override readonly name = 'EndpointFailure'

  constructor(endpoint: string, why: string) {
    super(codes.unavailable, `${endpoint}: ${why}`)
  }
}

/** Thrown where no response came, before the time for one was over. */
class BrokenConnection extends EndpointFailure {}

/** How an operator lets light clients in, for errors. */
const howToServe =
  'its operator must serve the namespace perihelion (json-rpc.api), and to a page the origin of the page (json-rpc.cors)'

/** The error that an endpoint answered with, in its own words. */
export interface EndpointError {
  readonly code: number
  readonly message: string
}

/**
 * Thrown where an endpoint answers with an error. Clients take a revert by its code, its data or its words, and CCIP-read even
 * acts on them: so none of them is part of this error, which only says who rejected what. A rejection that is the endpoint's to
 * make, such as that of a transaction, has its code and its words.
 */
export class EndpointRefusal extends LightError {
  override readonly name = 'EndpointRefusal'
  /** What the endpoint said, unproven. */
  readonly said: EndpointError

  constructor(endpoint: string, method: string, said: EndpointError, isBelieved: boolean) {
    const isNotServed = said.code === codes.methodNotFound && method.startsWith('perihelion_')
    const why = `it answers ${method} with error ${said.code}`
    if (isBelieved && !isOfExecution(said.code)) super(said.code, `${endpoint}: ${said.message}`)
    else super(codes.unavailable, `${endpoint}: ${isNotServed ? `${why}; ${howToServe}` : why}`)
    this.said = said
  }
}

/** Whether a code is one of those by which an execution fails: 3, and those of `eth_simulateV1`. */
const isOfExecution = (code: number): boolean =>
  code === codes.reverted || (code <= -38_000 && code > -39_000)

export interface EndpointLimits {
  readonly timeoutMs: number
  readonly maxBytes: number
  /** Of all responses that are read at once. */
  readonly maxHeldBytes: number
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

const maxMessage = 1_000
/** The JSON values of a response: more would take seconds to parse, in which nobody else is served. */
const maxValues = 2_000_000

/** Returns whether a response is a redirect, which browsers hide and Node.js shows. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

/** A node or gateway that is asked over HTTP, and believed in nothing. */
export class Endpoint {
  readonly url: string
  /** The URL without what may be secret in it. */
  readonly name: string
  readonly #limits: EndpointLimits
  readonly #fetch: Fetch
  #held = 0

  constructor(url: string, limits: EndpointLimits, fetch: Fetch) {
    const parsed = new URL(url)
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
      throw new TypeError(`an endpoint begins with http:// or https://, not ${parsed.protocol}`)
    this.url = url
    this.name = parsed.origin
    this.#limits = limits
    this.#fetch = fetch
  }

  /** Returns the result of a call, unchecked. */
  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#ask(method, params, false)
  }

  /** Returns the result of a call whose errors are the endpoint's to make: nothing could prove them. */
  askBelieved(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#ask(method, params, true)
  }

  async #ask(method: string, params: readonly unknown[], isBelieved: boolean): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    // A connection that breaks is tried once more. What an endpoint was to take may have arrived.
    const reply = await this.#post(body).catch((error: unknown) => {
      if (isBelieved || !(error instanceof BrokenConnection)) throw error
      return this.#post(body)
    })
    const { error } = reply
    if (error === undefined || error === null) {
      if (reply.result === undefined) throw new EndpointFailure(this.name, 'its response has no result')
      return reply.result
    }
    const code = Number.isSafeInteger(error.code) ? Number(error.code) : codes.failed
    const message = typeof error.message === 'string' ? error.message.slice(0, maxMessage) : 'no message'
    throw new EndpointRefusal(this.name, method, { code, message }, isBelieved)
  }

  async #post(body: string): Promise<Reply> {
    let bytes: Uint8Array
    try {
      const response = await this.#fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        // An endpoint does not choose whom else this machine asks.
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#limits.timeoutMs),
      })
      if (isRedirect(response))
        throw new EndpointFailure(this.name, 'it redirects: give the URL that it redirects to')
      if (!response.ok && response.status !== 400)
        throw new EndpointFailure(this.name, `it answered with HTTP status ${response.status}`)
      bytes = await this.#read(response)
    } catch (error) {
      if (error instanceof EndpointFailure) throw error
      const { name, message } = error as Error
      const why = name === 'TimeoutError' ? `no response within ${this.#limits.timeoutMs} ms` : message
      const Kind = name === 'TimeoutError' ? EndpointFailure : BrokenConnection
      throw new Kind(this.name, `${why} (in a page, the endpoint may reject its origin; ${howToServe})`)
    }
    return this.#parse(bytes)
  }

  #parse(bytes: Uint8Array): Reply {
    if (bytes.length > maxValues && hasMoreJsonValues(bytes, maxValues))
      throw new EndpointFailure(this.name, `its response has more than ${maxValues} values`)
    let reply: unknown
    try {
      reply = JSON.parse(decodeUtf8(bytes))
    } catch {
      throw new EndpointFailure(this.name, 'its response is not JSON')
    }
    if (typeof reply !== 'object' || reply === null || Array.isArray(reply))
      throw new EndpointFailure(this.name, 'its response is not JSON-RPC')
    return reply as Reply // its members are looked at one by one
  }

  async #read(response: Response): Promise<Uint8Array> {
    const reader = response.body?.getReader()
    if (reader === undefined) return emptyBytes
    const { maxBytes, maxHeldBytes } = this.#limits
    const parts: Uint8Array[] = []
    let length = 0
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return concatBytes(...parts)
        length += value.length
        this.#held += value.length
        const excess =
          length > maxBytes
            ? `its response is longer than ${maxBytes} bytes`
            : this.#held > maxHeldBytes
              ? `its responses are longer than ${maxHeldBytes} bytes together`
              : undefined
        if (excess !== undefined) {
          await reader.cancel()
          throw new EndpointFailure(this.name, excess)
        }
        parts.push(value)
      }
    } finally {
      this.#held -= length
    }
  }
}
