import { toHex, toQuantity } from '../base/encoding/hex.ts'
import { headerJson } from '../chain/json/headerJson.ts'
import type { ProvenChain } from './chain.ts'
import { codes, invalidParams, LightError, limitExceeded, unsupported } from './lightError.ts'
import { getLogs, type LogPattern, logsOf, maxLogHeaders, parsePattern } from './methods/logs.ts'
import { objectAt } from './methods/params.ts'
import type { Head } from './proving/head.ts'

interface Filter {
  readonly kind: 'blocks' | 'logs'
  readonly filter: Readonly<Record<string, unknown>>
  readonly pattern: LogPattern
  /** The newest block that was reported. */
  told: number
  usedAt: number
}

interface Subscription {
  readonly kind: 'newHeads' | 'logs'
  readonly pattern: LogPattern
}

const maxFilters = 256
const unusedMs = 5 * 60_000
const everything: LogPattern = { addresses: [], topics: [] }
const noSubscription = 'notifications of pending transactions are not proven'

/** Filters and subscriptions over proven blocks. */
export class LightFilters {
  readonly #chain: ProvenChain
  readonly #filters = new Map<string, Filter>()
  readonly #subscriptions = new Map<string, Subscription>()
  readonly #notify: (subscription: string, result: unknown) => void
  readonly #onError: (error: unknown) => void
  readonly #pollMs: number
  #polling: ReturnType<typeof setInterval> | undefined
  #telling: Promise<void> = Promise.resolve()
  #toldHead: number | undefined

  constructor(
    chain: ProvenChain,
    pollMs: number,
    notify: (subscription: string, result: unknown) => void,
    onError: (error: unknown) => void,
  ) {
    this.#chain = chain
    this.#pollMs = pollMs
    this.#notify = notify
    this.#onError = onError
  }

  readonly methods: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>> = {
    eth_newBlockFilter: () => this.#add('blocks', {}),
    eth_newFilter: (params) => this.#add('logs', objectAt(params, 0)),
    eth_newPendingTransactionFilter: () => Promise.reject(unsupported(noSubscription)),
    eth_getFilterChanges: ([id]) => this.#changes(id),
    eth_getFilterLogs: async ([id]) => {
      const { kind, filter } = this.#filter(id)
      if (kind !== 'logs') throw new LightError(codes.failed, 'filter not found')
      return this.#chain.ask((session) => getLogs(session, [filter]))
    },
    eth_uninstallFilter: async ([id]) => this.#filters.delete(String(id)),
    eth_subscribe: (params) => this.#subscribe(params),
    eth_unsubscribe: async ([id]) => {
      const wasThere = this.#subscriptions.delete(String(id))
      if (this.#subscriptions.size === 0) this.#stop()
      return wasThere
    },
  }

  close(): void {
    this.#subscriptions.clear()
    this.#filters.clear()
    this.#stop()
  }

  async #add(kind: Filter['kind'], filter: Filter['filter']): Promise<string> {
    const pattern = kind === 'logs' ? parsePattern(filter) : everything
    const { number } = await this.#chain.tracker.latest()
    const now = Date.now()
    for (const [id, { usedAt }] of this.#filters) if (now - usedAt > unusedMs) this.#filters.delete(id)
    if (this.#filters.size >= maxFilters) throw limitExceeded(`at most ${maxFilters} filters`)
    const id = newId()
    this.#filters.set(id, { kind, filter, pattern, told: number, usedAt: now })
    return id
  }

  #filter(id: unknown): Filter {
    const found = this.#filters.get(String(id))
    if (found === undefined) throw new LightError(codes.failed, 'filter not found')
    found.usedAt = Date.now()
    return found
  }

  async #changes(id: unknown): Promise<unknown> {
    const filter = this.#filter(id)
    const head = await this.#chain.tracker.latest()
    const from = filter.told + 1
    if (head.number < from) return []
    const found = await this.#between(filter.kind, filter.pattern, from, head)
    filter.told = Math.max(filter.told, head.number)
    return found
  }

  async #between(
    kind: Filter['kind'],
    pattern: LogPattern,
    from: number,
    head: Head,
  ): Promise<readonly unknown[]> {
    if (head.number - from >= maxLogHeaders)
      throw limitExceeded(`the filter was not asked for ${head.number - from + 1} blocks: make a new one`)
    return this.#chain.endpoints.first(async (endpoint) => {
      const headers = await this.#chain.headers.range(endpoint, head, from, head.number)
      return kind === 'blocks'
        ? headers.map(({ hash }) => toHex(hash))
        : logsOf(this.#chain.session(endpoint, head), headers, pattern)
    })
  }

  async #subscribe([kind, filter]: readonly unknown[]): Promise<string> {
    if (kind !== 'newHeads' && kind !== 'logs')
      throw kind === 'newPendingTransactions' || kind === 'syncing'
        ? unsupported(noSubscription)
        : invalidParams('parameter 1: expected newHeads or logs')
    if (this.#subscriptions.size >= maxFilters) throw limitExceeded(`at most ${maxFilters} subscriptions`)
    const pattern = kind === 'logs' ? parsePattern(objectAt([filter ?? {}], 0)) : everything
    this.#toldHead ??= (await this.#chain.tracker.latest()).number
    const id = newId()
    this.#subscriptions.set(id, { kind, pattern })
    this.#polling ??= setInterval(() => this.#poll(), this.#pollMs)
    return id
  }

  #stop(): void {
    clearInterval(this.#polling)
    this.#polling = undefined
    this.#toldHead = undefined
  }

  #poll(): void {
    this.#telling = this.#telling.then(() => this.#tell()).catch((error: unknown) => this.#onError(error))
  }

  /** Tells subscribers of the blocks since the last time, in their order. */
  async #tell(): Promise<void> {
    const head = await this.#chain.tracker.latest()
    const told = this.#toldHead
    if (told === undefined || head.number <= told) return
    // After a long silence of the endpoints the oldest are left out: no message is of a block without the one before.
    const from = Math.max(told + 1, head.number - maxLogHeaders + 1)
    await this.#chain.endpoints.first(async (endpoint) => {
      const headers = await this.#chain.headers.range(endpoint, head, from, head.number)
      const session = this.#chain.session(endpoint, head)
      for (const header of headers) {
        const number = Number(header.header.number)
        if (number <= (this.#toldHead ?? number)) continue
        const messages = await Promise.all(
          [...this.#subscriptions].map(async ([id, { kind, pattern }]) => ({
            id,
            results:
              kind === 'newHeads'
                ? [JSON.parse(headerJson(header.header, header.hash)) as unknown]
                : await logsOf(session, [header], pattern),
          })),
        )
        this.#toldHead = number
        for (const { id, results } of messages)
          for (const result of results) if (this.#subscriptions.has(id)) this.#notify(id, result)
      }
    })
  }
}

const newId = (): string => {
  const random = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return toQuantity(BigInt(toHex(random)))
}
