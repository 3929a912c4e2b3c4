import type { KeyRows } from './keyRows.ts'

/** An API key with a rate, as the gateways of a fleet share it. */
export interface LimitedKey {
  /** The same at all gateways: hex digits. */
  readonly id: string
  /** Returns the cost of its calls since this was asked last. */
  takeUsed(): number
  /** Charges what was used at other gateways. */
  useElsewhere(cost: number): void
}

/** How often gateways tell each other what was used. */
const exchangeMs = 1_000
/** After a pause as long as this, what others used meanwhile is not charged: the rate has allowed for it since. */
const maxPauseMs = 5_000

/**
 * The rates of API keys over a fleet. Each gateway counts for itself, and hears once a second what others have counted. So a
 * client gets, in any number of seconds, at most its rate in each of them, and at each gateway once more its burst and the rate of a
 * second. While the database is away each gateway counts alone.
 */
export class SharedKeys {
  readonly #rows: Pick<KeyRows, 'exchange'>
  readonly #now: () => number
  /** What each key had used in all when this was asked last. */
  readonly #totals = new Map<string, number>()
  /** Undefined while nothing is known of others. */
  #exchangedAt: number | undefined
  #find: (() => Iterable<LimitedKey>) | undefined
  #timer: NodeJS.Timeout | undefined
  #exchanging: Promise<void> | undefined

  constructor(rows: Pick<KeyRows, 'exchange'>, now = () => performance.now()) {
    this.#rows = rows
    this.#now = now
  }

  /** Shares the use of keys from now on. Which there are is asked each time. */
  start(find: () => Iterable<LimitedKey>): void {
    this.#find = find
    clearInterval(this.#timer)
    this.#timer = setInterval(() => void this.exchange(), exchangeMs).unref()
  }

  /** Tells what was used here, and charges what was used elsewhere. Never rejects. */
  exchange(): Promise<void> {
    this.#exchanging ??= this.#exchangeOnce().finally(() => {
      this.#exchanging = undefined
    })
    return this.#exchanging
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#exchanging
  }

  async #exchangeOnce(): Promise<void> {
    const keys = new Map([...(this.#find?.() ?? [])].map((key) => [key.id, key]))
    if (keys.size === 0) return
    const used = new Map<string, number>()
    for (const [id, key] of keys) {
      const cost = key.takeUsed()
      if (cost > 0) used.set(id, cost)
    }
    const startedAt = this.#now()
    const isFresh = this.#exchangedAt === undefined || startedAt - this.#exchangedAt > maxPauseMs
    try {
      const totals = await this.#rows.exchange(used, isFresh)
      // Keys that are idle now are known too, or their whole past would be charged with their next call.
      if (isFresh) this.#totals.clear()
      for (const [id, total] of totals) {
        const before = this.#totals.get(id) ?? 0
        this.#totals.set(id, total)
        // A smaller total is that of a new row.
        const elsewhere = total - (total < before ? 0 : before) - (used.get(id) ?? 0)
        if (!isFresh && elsewhere > 0) keys.get(id)?.useElsewhere(elsewhere)
      }
      this.#exchangedAt = startedAt
    } catch {
      // What was written is not known: it is started over. The database says why it is away, once.
      this.#exchangedAt = undefined
    }
  }
}
