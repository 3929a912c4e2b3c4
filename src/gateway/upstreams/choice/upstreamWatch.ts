import type { Logger } from '../../../base/logging/log.ts'
import { toQueryError } from '../../../comet/data/queryErrors.ts'
import type { NodeStatus } from '../../../comet/data/replies.ts'
import type { Upstream } from '../upstream.ts'

const checkEveryMs = 5_000
const tickMs = 500
/** How long an upstream may take to tell its status. */
const checkTimeoutMs = 10_000

interface WatchDependencies {
  readonly upstreams: readonly Upstream[]
  /** Runs a call and records its success or failure for the upstream. */
  readonly attempt: <T>(upstream: Upstream, work: () => Promise<T>, signal: AbortSignal) => Promise<T>
  readonly log: Logger
}

/** Asks each upstream for its status from time to time, and those in quarantine whether they are healthy again. */
export class UpstreamWatch {
  readonly #dependencies: WatchDependencies
  readonly #probeEveryMs: number
  readonly #checkedAt = new Map<Upstream, number>()
  readonly #checking = new Set<Upstream>()
  #timer: NodeJS.Timeout | undefined
  /** CometBFT's id of the chain; undefined until it is named or an upstream has answered. */
  chainId: string | undefined

  constructor(
    options: { readonly chainId: string | undefined; readonly probeEveryMs: number },
    dependencies: WatchDependencies,
  ) {
    this.chainId = options.chainId
    this.#probeEveryMs = options.probeEveryMs
    this.#dependencies = dependencies
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), tickMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Fetches the status of an upstream. Throws what is wrong with it. */
  async check(upstream: Upstream, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { attempt, log } = this.#dependencies
    const isNew = upstream.status === undefined
    this.#checking.add(upstream)
    try {
      const work = (): Promise<NodeStatus> => upstream.check(() => this.chainId, checkTimeoutMs, signal)
      const { network } = await attempt(upstream, work, signal)
      this.chainId ??= network
      if (isNew) log.info({ node: upstream.name }, 'the node answers')
    } catch (error) {
      throw toQueryError(error)
    } finally {
      this.#checkedAt.set(upstream, Date.now())
      this.#checking.delete(upstream)
    }
  }

  #tick(): void {
    const now = Date.now()
    for (const upstream of this.#dependencies.upstreams) {
      if (this.#checking.has(upstream)) continue
      const sinceCheck = now - (this.#checkedAt.get(upstream) ?? 0)
      if (upstream.quarantineReason(now) !== undefined) {
        if (sinceCheck >= this.#probeEveryMs && !upstream.breaker.isPaused(now)) void this.#probe(upstream)
        continue
      }
      const isDue = sinceCheck >= checkEveryMs
      const isWanted = upstream.breaker.isOpen || upstream.status === undefined
      if ((isDue || isWanted) && upstream.breaker.allows(now)) this.check(upstream).catch(() => {})
    }
  }

  async #probe(upstream: Upstream): Promise<void> {
    this.#checking.add(upstream)
    try {
      if (await upstream.probe(this.chainId ?? '', checkTimeoutMs))
        this.#dependencies.log.info({ node: upstream.name }, 'the node is healthy and gets requests again')
    } finally {
      this.#checkedAt.set(upstream, Date.now())
      this.#checking.delete(upstream)
    }
  }
}
