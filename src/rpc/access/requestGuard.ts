import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { RejectReason, RpcMetrics } from '../metrics.ts'
import type { Caller } from './access.ts'
import type { ClientAddress } from './clientAddress.ts'
import type { OriginPolicy } from './originPolicy.ts'
import type { RateLimiter } from './rateLimit.ts'
import { checkAuthorization } from './token.ts'

/** The response to a request that is rejected before its body is read. */
export interface HttpRejection {
  readonly status: number
  readonly reason: RejectReason
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface RequestGuardDependencies {
  readonly originPolicy: OriginPolicy
  readonly rateLimiter: RateLimiter
  readonly metrics: RpcMetrics
  readonly findClient: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientAddress
  /** The secret that bearer tokens are signed with. */
  readonly secret: Uint8Array
}

/** The checks that an HTTP request and a WebSocket upgrade share: host, client, token, rate. */
export class RequestGuard {
  readonly #dependencies: RequestGuardDependencies

  constructor(dependencies: RequestGuardDependencies) {
    this.#dependencies = dependencies
  }

  get originPolicy(): OriginPolicy {
    return this.#dependencies.originPolicy
  }

  checkHost(headers: IncomingHttpHeaders): HttpRejection | undefined {
    if (this.originPolicy.allowsHost(headers.host)) return undefined
    const message = 'host not allowed: use an IP address or localhost, or add the name to --json-rpc.vhosts'
    return { status: 403, reason: 'host', message }
  }

  /** Returns the caller of a request, or the rejection if it may not proceed. */
  identify(request: IncomingMessage, transport: 'http' | 'ws'): Caller | HttpRejection {
    const { rateLimiter, findClient, secret } = this.#dependencies
    const { headers } = request
    let authorizedUntil = 0
    if (headers.authorization !== undefined) {
      const check = checkAuthorization(headers.authorization, secret, Date.now())
      if (!check.ok) {
        const message = `bad token: ${check.why}`
        return { status: 401, reason: 'token', message, headers: { 'WWW-Authenticate': 'Bearer' } }
      }
      authorizedUntil = check.until
    }
    const { address, isLocal } = findClient(request.socket.remoteAddress, headers)
    const seconds = rateLimiter.take(address)
    if (seconds > 0) {
      const message = `too many requests from ${address} (rate-limit)`
      return { status: 429, reason: 'rate-limit', message, headers: { 'Retry-After': String(seconds) } }
    }
    return { transport, address, isLocal, authorizedUntil }
  }

  countRejection(rejection: HttpRejection): void {
    this.#dependencies.metrics.rejected(rejection.reason)
  }
}

export const isHttpRejection = (value: Caller | HttpRejection): value is HttpRejection => 'status' in value

export const drainingRejection: HttpRejection = {
  status: 503,
  reason: 'draining',
  message: 'the server is not ready or is shutting down: try again soon',
  headers: { 'Retry-After': '1' },
}
