import { isIP } from 'node:net'

/** The host names and web origins that are allowed. See "Namespaces and access" in docs/decisions. */
export interface OriginRules {
  readonly vhosts: readonly string[]
  readonly cors: readonly string[]
  /** Whether pages on any port of localhost are allowed (the dev profile). */
  readonly allowLocalhostPages: boolean
}

/** The origins of browser extensions. They are allowed because the user installed them. */
const extensionOrigin = /^(?:chrome|moz|safari-web|ms-browser)-extension:\/\//
const localhostOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

export class OriginPolicy {
  readonly #vhosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  readonly #allowLocalhostPages: boolean
  /** The last Host header that was allowed; the next request nearly always has the same. */
  #lastHost = 'localhost'

  constructor({ vhosts, cors, allowLocalhostPages }: OriginRules) {
    this.#vhosts = new Set(vhosts.map((name) => name.toLowerCase()))
    this.#origins = new Set(cors.map((origin) => origin.toLowerCase()))
    this.#allowLocalhostPages = allowLocalhostPages
  }

  /**
   * Returns whether a Host header is allowed. This prevents DNS rebinding, because a page whose name was rebound to
   * our address sends that name. A request without the header does not come from a browser.
   */
  allowsHost(header: string | undefined): boolean {
    if (header === undefined || header === '' || header === this.#lastHost) return true
    const host = hostName(header)
    if (host === undefined) return false
    const isAllowed =
      host === 'localhost' || isIP(host) !== 0 || this.#vhosts.has('*') || this.#vhosts.has(host)
    if (isAllowed) this.#lastHost = header
    return isAllowed
  }

  /** Returns the value for Access-Control-Allow-Origin; undefined if the origin gets no CORS headers. */
  corsOrigin(origin: string, hostHeader: string | undefined): string | undefined {
    if (this.#origins.has('*')) return '*'
    return this.#allowsPage(origin.toLowerCase(), hostHeader) ? origin : undefined
  }

  /** Returns whether a request or an upgrade with this Origin header may be served. */
  allowsOrigin(origin: string | undefined, hostHeader: string | undefined): boolean {
    if (origin === undefined || this.#origins.has('*')) return true
    const page = origin.toLowerCase()
    return extensionOrigin.test(page) || this.#allowsPage(page, hostHeader)
  }

  #allowsPage(origin: string, hostHeader: string | undefined): boolean {
    if (this.#origins.has(origin)) return true
    const host = hostHeader?.toLowerCase()
    if (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)) return true
    return this.#allowLocalhostPages && localhostOrigin.test(origin)
  }
}

/** Returns the name in a Host header without port and brackets; undefined if the header is malformed. */
export const hostName = (header: string): string | undefined => {
  const [, v6, name] = /^(?:\[([^\]]+)\]|([^:[\]/@?#\s]+))(?::\d{1,5})?$/.exec(header) ?? []
  if (v6 !== undefined) return isIP(v6) === 6 ? v6 : undefined
  return name?.toLowerCase().replace(/\.$/, '')
}
