import { isIP } from 'node:net'

/** Which host names and web origins are let in. See "Namespaces and access" in docs/decisions. */
export interface OriginRules {
  readonly vhosts: readonly string[]
  readonly cors: readonly string[]
  /** Pages on any port of localhost are let in (the dev profile). */
  readonly allowLocalhostPages: boolean
}

/** Extensions are installed by the user, and have no site whose pages could be hostile. */
const extensionOrigin = /^(?:chrome|moz|safari-web|ms-browser)-extension:\/\//
const localhostOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

export class OriginPolicy {
  readonly #vhosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  readonly #allowLocalhostPages: boolean
  /** The header that was let in last: nearly always it is that of the next request too. */
  #lastHost = 'localhost'

  constructor({ vhosts, cors, allowLocalhostPages }: OriginRules) {
    this.#vhosts = new Set(vhosts.map((name) => name.toLowerCase()))
    this.#origins = new Set(cors.map((origin) => origin.toLowerCase()))
    this.#allowLocalhostPages = allowLocalhostPages
  }

  /**
   * A page whose name was rebound to our address sends its own name here, which ends that attack. A request without
   * the header comes from no browser.
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

  /** The value for Access-Control-Allow-Origin, or undefined when the origin gets no CORS headers. */
  corsOrigin(origin: string, hostHeader: string | undefined): string | undefined {
    if (this.#origins.has('*')) return '*'
    return this.#allowsPage(origin.toLowerCase(), hostHeader) ? origin : undefined
  }

  allowsUpgrade(origin: string | undefined, hostHeader: string | undefined): boolean {
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

/** The name of a Host header without its port, an IPv6 address without its brackets; undefined when it is malformed. */
const hostName = (header: string): string | undefined => {
  const [, v6, name] = /^(?:\[([^\]]+)\]|([^:[\]/@?#\s]+))(?::\d{1,5})?$/.exec(header) ?? []
  if (v6 !== undefined) return isIP(v6) === 6 ? v6 : undefined
  return name?.toLowerCase().replace(/\.$/, '')
}
