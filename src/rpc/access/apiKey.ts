import { keyNotAllowed, limitExceeded, type RpcError } from '../errors.ts'
import { namespaceOf, type WorkClass } from '../methodKinds.ts'

/** What the key file says of one key. */
export interface ApiKeyOptions {
  /** The name, for metrics and messages. */
  readonly name: string
  /** The SHA-256 of the key in hex. */
  readonly sha256: string
  /** The cost of calls that is allowed in a second; 0 for no limit. */
  readonly rate: number
  /** The cost that is allowed at once. */
  readonly burst: number
  /** The namespaces that may be called; undefined for all that are served. */
  readonly namespaces: readonly string[] | undefined
  /** What a call of each class costs. */
  readonly cost: Readonly<Record<WorkClass, number>>
}

/** The namespace that describes the server itself, which every key may call. */
const alwaysAllowed = 'rpc'

/** A key with what is left of its rate. All transports share it. */
export class ApiKey {
  readonly name: string
  readonly #options: ApiKeyOptions
  readonly #namespaces: ReadonlySet<string> | undefined
  /** The number of calls by class. */
  readonly calls: Record<WorkClass, number> = {
    cheap: 0,
    state: 0,
    logs: 0,
    evm: 0,
    trace: 0,
    write: 0,
  }
  #refused = 0
  #used = 0
  #left: number
  #refilledAt = performance.now()

  constructor(options: ApiKeyOptions) {
    const { name, namespaces, burst } = options
    this.name = name
    this.#options = options
    this.#namespaces = namespaces === undefined ? undefined : new Set([alwaysAllowed, ...namespaces])
    this.#left = burst
  }

  /** The number of calls and requests that were rejected for the rate or the namespaces. */
  get refused(): number {
    return this.#refused
  }

  /** Whether its calls have a limit of the rate. */
  get isLimited(): boolean {
    return this.#options.rate > 0
  }

  /** Returns the cost of its calls since this was asked last. */
  takeUsed(): number {
    const used = this.#used
    this.#used = 0
    return used
  }

  /** Charges what was used at another server that shares the key. */
  useElsewhere(cost: number): void {
    this.#refill(performance.now())
    this.#left -= cost
  }

  /** Returns 0 if a request may run, or else the seconds to wait. Its calls are charged one by one. */
  secondsToWait(now = performance.now()): number {
    const { rate } = this.#options
    this.#refill(now)
    if (rate === 0 || this.#left >= 1) return 0
    this.#refused++
    return Math.max(1, Math.ceil((1 - this.#left) / rate))
  }

  /**
   * Charges one call. Returns the error for one that may not run. A call may cost more than is left: the next ones wait
   * for that.
   */
  charge({
    name,
    work = 'cheap',
  }: {
    readonly name: string
    readonly work?: WorkClass
  }): RpcError | undefined {
    if (this.#namespaces !== undefined && !this.#namespaces.has(namespaceOf(name))) {
      this.#refused++
      return keyNotAllowed(name, this.name)
    }
    const { rate, cost } = this.#options
    this.#refill(performance.now())
    if (rate > 0 && this.#left < 1) {
      this.#refused++
      return limitExceeded(`too many calls with the key "${this.name}": ${rate} a second (json-rpc.keys)`)
    }
    this.#left -= cost[work]
    this.#used += cost[work]
    this.calls[work]++
    return undefined
  }

  #refill(now: number): void {
    const { rate, burst } = this.#options
    this.#left = Math.min(burst, this.#left + ((now - this.#refilledAt) / 1000) * rate)
    this.#refilledAt = now
  }
}
