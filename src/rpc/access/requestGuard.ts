import type { IncomingHttpHeaders } from 'node:http'
import type { RejectReason, RpcMetrics } from '../metrics.ts'
import type { Caller } from './access.ts'
import type { ApiKey } from './apiKey.ts'
import type { ApiKeys } from './apiKeys.ts'
import type { ClientAddress } from './clientAddress.ts'
import { hostName, type OriginPolicy } from './originPolicy.ts'
import type { RateLimiter } from './rateLimit.ts'
import { checkAuthorization, usesBearer } from './token.ts'

/** The response to a request that is rejected before its body is read. */
export interface HttpRejection {
  readonly status: number
  readonly reason: RejectReason
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** How long the connection stays open behind the response, for a client that is still sending and must find time to read. */
  readonly lingerMs?: number
}

/**
 * What was found out about a head that comes with one request after the other of a connection. It holds as long as the rules
 * are those that it was found out with.
 */
export interface KnownHead {
  rules?: object
  /** The caller, unless it depends on more than the head and the connection. */
  caller?: Caller | undefined
}

/** What is known of a request before its body is read; Node's have all that is needed. */
export interface RequestHead {
  readonly known?: KnownHead
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export interface RequestGuardDependencies {
  readonly originPolicy: OriginPolicy
  readonly rateLimiter: RateLimiter
  /** The API keys; undefined if none is needed. */
  readonly keys: ApiKeys | undefined
  readonly metrics: RpcMetrics
  readonly findClient: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientAddress
  /** The secret that bearer tokens are signed with. */
  readonly secret: Uint8Array
}

/** The checks that an HTTP request and a WebSocket upgrade share: host, client, token, rate. */
export class RequestGuard {
  #dependencies: RequestGuardDependencies

  constructor(dependencies: RequestGuardDependencies) {
    this.#dependencies = dependencies
  }

  /** Checks otherwise from the next request on. */
  update(changed: Pick<RequestGuardDependencies, 'originPolicy' | 'findClient' | 'keys'>): void {
    this.#dependencies = { ...this.#dependencies, ...changed }
  }

  get originPolicy(): OriginPolicy {
    return this.#dependencies.originPolicy
  }

  /** Returns whether the head of a request was there before and was let in by the rules of now. */
  knows({ known }: RequestHead): boolean {
    return known !== undefined && known.rules === this.#dependencies
  }

  /** Remembers that the head of a request is let in by the rules of now. */
  remember({ known }: RequestHead): void {
    if (known === undefined) return
    known.rules = this.#dependencies
    known.caller = undefined
  }

  /** Returns the rejection of a request that is ambiguous or meant for another host. */
  checkHost(request: RequestHead): HttpRejection | undefined {
    if (this.knows(request)) return undefined
    const { headers, url = '' } = request
    const doubled = findDoubledHeader(request.rawHeaders)
    if (doubled !== undefined) {
      return { status: 400, reason: 'header', message: `the header ${doubled} is there twice` }
    }
    // A target with a host of its own would be checked by one and served by the other.
    const host = headers.host ?? ''
    if (!isOwnTarget(url, host)) {
      return {
        status: 400,
        reason: 'host',
        message: 'the request line and the Host header name different hosts',
      }
    }
    if (this.originPolicy.allowsHost(headers.host)) return undefined
    const remedy = remedyFor('--json-rpc.vhosts', hostName(host), namedHost)
    const message = `host not allowed: use an IP address or localhost, or ${remedy}`
    return { status: 403, reason: 'host', message }
  }

  /** Returns the rejection of a request that a page makes whose origin is not allowed. */
  checkOrigin({ origin, host }: IncomingHttpHeaders): HttpRejection | undefined {
    if (origin === undefined || this.originPolicy.allowsOrigin(origin, host)) return undefined
    const remedy = remedyFor('--json-rpc.cors', origin.toLowerCase(), namedOrigin)
    return { status: 403, reason: 'origin', message: `origin not allowed: ${remedy}` }
  }

  /** Returns the caller of a request, or the rejection if it may not proceed. */
  identify(request: RequestHead, transport: 'http' | 'ws'): Caller | HttpRejection {
    const { findClient, rateLimiter } = this.#dependencies
    const known = request.known?.caller
    const client = known ?? findClient(request.socket.remoteAddress, request.headers)
    // Before the token is checked, so that wrong ones are charged too and cannot be tried without end.
    const seconds = rateLimiter.take(client.address)
    if (seconds > 0) {
      const message = `too many requests from ${client.address} (rate-limit)`
      return { status: 429, reason: 'rate-limit', message, headers: { 'Retry-After': String(seconds) } }
    }
    const caller = known ?? this.#createCaller(request, transport, client)
    if (isHttpRejection(caller)) return caller
    const { authorizedUntil } = caller
    // A holder of the secret needs no key; the token was checked just now.
    if (this.#dependencies.keys === undefined || authorizedUntil > 0) return caller
    const key = this.#findKey(request, this.#dependencies.keys)
    return 'status' in key ? key : { ...caller, key }
  }

  #createCaller(
    { headers, known }: RequestHead,
    transport: 'http' | 'ws',
    { address, isLocal }: ClientAddress,
  ): Caller | HttpRejection {
    let authorizedUntil = 0
    if (headers.authorization !== undefined && usesBearer(headers.authorization)) {
      const check = checkAuthorization(headers.authorization, this.#dependencies.secret, Date.now())
      if (!check.ok) {
        const message = `bad token: ${check.why}`
        return { status: 401, reason: 'token', message, headers: { 'WWW-Authenticate': 'Bearer' } }
      }
      authorizedUntil = check.until
    }
    const caller = { transport, address, isLocal, authorizedUntil, userAgent: headers['user-agent'] }
    // A token expires.
    if (known !== undefined && headers.authorization === undefined) known.caller = caller
    return caller
  }

  /**
   * Returns whether a caller that was let in before may go on: its key may be gone, changed, or needed only now, and its token
   * may have expired.
   */
  stillAdmits({ key, authorizedUntil }: Pick<Caller, 'key' | 'authorizedUntil'>): boolean {
    const { keys } = this.#dependencies
    return keys === undefined || authorizedUntil > Date.now() || (key !== undefined && keys.has(key))
  }

  #findKey(request: RequestHead, keys: ApiKeys): ApiKey | HttpRejection {
    const key = keys.find(request)
    if (typeof key === 'string') {
      const message =
        key === 'unknown'
          ? 'unknown API key'
          : 'an API key is needed: send it in the header X-Api-Key or as the first part of the path'
      return { status: 401, reason: 'key', message }
    }
    const seconds = key.secondsToWait()
    if (seconds === 0) return key
    const message = `too many requests with the key "${key.name}" (json-rpc.keys)`
    return { status: 429, reason: 'rate-limit', message, headers: { 'Retry-After': String(seconds) } }
  }

  /** Whether requests have an API key. */
  get hasKeys(): boolean {
    return this.#dependencies.keys !== undefined
  }

  countRejection(rejection: HttpRejection): void {
    this.#dependencies.metrics.rejected(rejection.reason)
  }
}

/** The longest name or origin that is shown to whoever sent it. */
const maxNamed = 261
const namedHost = /^[a-z0-9._-]+$/
const namedOrigin = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d{1,5})?$/

/** Returns how to allow a host or an origin, with the value if the setting would take it. */
const remedyFor = (flag: string, value: string | undefined, pattern: RegExp): string =>
  value !== undefined && value.length <= maxNamed && pattern.test(value)
    ? `add it: ${flag} ${value}`
    : `add it to ${flag}`

/** The headers that decide who may do what. Of two, one reader would take the first and another the last. */
const decisiveHeaders = new Set(['host', 'origin', 'authorization', 'content-type', 'x-api-key'])

/** Returns the name of a decisive header that is there twice. `rawHeaders` has names and values in turn. */
const findDoubledHeader = (rawHeaders: readonly string[]): string | undefined => {
  let seen: string[] | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (!decisiveHeaders.has(name)) continue
    if (seen?.includes(name)) return name
    seen ??= []
    seen.push(name)
  }
  return undefined
}

/** Returns whether the target of a request has no host, as usual, or the one of the Host header. */
const isOwnTarget = (url: string, host: string): boolean => {
  if (url.startsWith('/') || url === '*') return true
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return authority !== undefined && authority.toLowerCase() === host.toLowerCase()
}

export const isHttpRejection = (value: Caller | HttpRejection): value is HttpRejection => 'status' in value

export const drainingRejection: HttpRejection = {
  status: 503,
  reason: 'draining',
  message: 'the server is not ready or is shutting down: try again soon',
  headers: { 'Retry-After': '1' },
}
