import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Counter, type Registry } from 'prom-client'
import { ApiKey, type ApiKeyOptions } from './apiKey.ts'

/** The longest text that is hashed. Our own keys have 43 characters. */
const maxKeyLength = 256

/** Returns the form in which keys are stored. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/** The parts of a request that may hold its key. */
interface KeyedRequest {
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The keys of a server. They are known by their hashes alone, so that nobody can read a key here. */
export class ApiKeys {
  #byHash: ReadonlyMap<string, ApiKey> = new Map()
  #current: ReadonlySet<ApiKey> = new Set()
  #options: ReadonlyMap<string, string> = new Map()

  constructor(options: readonly ApiKeyOptions[], registry: Registry) {
    this.replace(options)
    registerMetrics(registry, () => [...this.#byHash.values()])
  }

  /** Sets the keys. An unchanged key keeps what it has used of its rate. */
  replace(options: readonly ApiKeyOptions[]): void {
    const texts = new Map(options.map((option) => [option.sha256, JSON.stringify(option)]))
    const keys = options.map((option) => {
      const known = this.#byHash.get(option.sha256)
      const isSame = known !== undefined && this.#options.get(option.sha256) === texts.get(option.sha256)
      return [option.sha256, isSame ? known : new ApiKey(option)] as const
    })
    this.#byHash = new Map(keys)
    this.#current = new Set(this.#byHash.values())
    this.#options = texts
  }

  /** Returns whether a key that was found before is still there and as it was. */
  has(key: ApiKey): boolean {
    return this.#current.has(key)
  }

  /** Returns the keys that have a rate, each with the hash that is the same at all servers. */
  *limited(): Generator<Pick<ApiKey, 'takeUsed' | 'useElsewhere'> & { readonly id: string }> {
    for (const [id, key] of this.#byHash)
      if (key.isLimited)
        yield { id, takeUsed: () => key.takeUsed(), useElsewhere: (cost) => key.useElsewhere(cost) }
  }

  /** Returns the key of a request, from the header `X-Api-Key` or the first part of the path, or why there is none. */
  find({ headers, url = '' }: KeyedRequest): ApiKey | 'missing' | 'unknown' {
    const given = headers['x-api-key'] ?? (/^\/([^/?#]+)/.exec(url) ?? [])[1]
    if (given === undefined || given === '') return 'missing'
    if (typeof given !== 'string' || given.length > maxKeyLength) return 'unknown'
    return this.#byHash.get(hashKey(given)) ?? 'unknown'
  }
}

/** Registers the use of the keys by their names, which is read at each scrape. */
const registerMetrics = (registry: Registry, keys: () => readonly ApiKey[]): void => {
  new Counter({
    name: 'perihelion_key_calls_total',
    help: 'Calls that were charged to an API key, by its name and by class of work',
    labelNames: ['key', 'class'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { name, calls } of keys())
        for (const [work, count] of Object.entries(calls)) this.inc({ key: name, class: work }, count)
    },
  })
  new Counter({
    name: 'perihelion_key_refused_total',
    help: 'Calls and requests that were rejected for the rate or the namespaces of an API key, by its name',
    labelNames: ['key'],
    registers: [registry],
    collect() {
      this.reset()
      for (const key of keys()) this.inc({ key: key.name }, key.refused)
    },
  })
}
