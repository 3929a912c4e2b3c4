import { sleep } from '../../base/async/sleep.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import { TransportError } from '../../comet/data/transportErrors.ts'
import { UntakenBlockError, UpstreamError } from '../../comet/data/upstreamError.ts'
import { TrustError } from '../../light/trustError.ts'
import { withAdvice } from '../trust/trustSettings.ts'
import { Backoffs } from '../upstreams/choice/backoffs.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { BlockRounds } from './blockRounds.ts'
import type { FollowDependencies, FollowOptions, UntakenBlock } from './followOptions.ts'
import { backedHeight, FollowSession } from './followSession.ts'
import { SlowLead } from './slowLead.ts'

const firstPauseMs = 100
const maxPauseMs = 1_000
/** The pauses after a block that could not be taken: with each attempt twice as long. */
const firstUntakenPauseMs = 1_000
const maxUntakenPauseMs = 600_000
/** How long the same reason to leave a node is not told again, and how many reasons are remembered for that. */
const tellAgainMs = 60_000
const maxTold = 64

/**
 * Fetches the blocks of the chain in order from an upstream, verifies and converts them, and stores them. The results
 * of a block are proven by the header of the next one, so only the newest block is served on the word of one upstream.
 * If its results prove wrong, the block is replaced.
 */
export class FollowLoop {
  readonly #options: FollowOptions
  readonly #dependencies: FollowDependencies
  readonly #signal: AbortSignal
  readonly #backoffs = new Backoffs()
  readonly #rounds: BlockRounds
  readonly #slow: SlowLead
  #untaken: (UntakenBlock & { readonly attempts: number }) | undefined
  /** When it was last logged why a node was left, by node and reason. */
  readonly #told = new Map<string, number>()

  constructor(options: FollowOptions, dependencies: FollowDependencies, signal: AbortSignal) {
    this.#options = options
    this.#dependencies = dependencies
    this.#signal = signal
    this.#slow = new SlowLead(options.leadPatienceMs)
    this.#rounds = new BlockRounds(options, dependencies, this.#backoffs, () => this.#clearUntaken(), signal)
  }

  /** The number of transactions converted so far. */
  get transactions(): number {
    return this.#rounds.transactions
  }

  /** Follows the chain until the signal is aborted. Throws errors that no upstream caused. */
  async run(): Promise<void> {
    const { upstreams, log } = this.#dependencies
    let failures = 0
    while (!this.#signal.aborted) {
      const upstream = this.#choose()
      if (upstream) {
        const before = this.#nextHeight()
        try {
          await this.#follow(upstream)
        } catch (error) {
          await this.#dependencies.writer.discard()
          this.#handleUpstreamError(upstream, error)
          if (error instanceof UpstreamError) this.#forgetTarget()
        }
        if (this.#nextHeight() !== before) {
          failures = 0
          this.#told.clear()
        }
        this.#clearUntaken()
      } else if (failures === 0) {
        const earliest = upstreams.earliest().block
        log.warn({ block: this.#nextHeight(), earliest }, 'no node is available for the next block')
      }
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(failures++, 10))
      await sleep(Math.max(pauseMs, this.#untakenPauseMs()), this.#signal)
    }
  }

  /**
   * Follows the chain with an upstream until it is left. A node that did not answer is asked for its status before: one call at
   * a time may try it, and as long as that is a whole session nobody else may ask it.
   */
  async #follow(upstream: Upstream): Promise<void> {
    const { selector } = this.#dependencies.upstreams
    if (upstream.breaker.isOpen) await selector.check(upstream, this.#signal)
    await selector.attempt(upstream, () => this.#session(upstream).run(), this.#signal)
  }

  /** Forgets a block that could not be taken when it is in the store. */
  #clearUntaken(): void {
    if (this.#untaken === undefined || (this.#nextHeight() ?? 0) <= this.#untaken.height) return
    this.#dependencies.log.info({ block: this.#untaken.height }, 'the block was taken at last')
    this.#untaken = undefined
    this.#dependencies.onUntaken(undefined)
  }

  #untakenPauseMs(): number {
    if (this.#untaken === undefined) return 0
    return Math.min(maxUntakenPauseMs, firstUntakenPauseMs * 2 ** Math.min(this.#untaken.attempts - 1, 20))
  }

  #nextHeight(): number | undefined {
    const { last } = this.#dependencies.writer
    return last ? last.number + 1 : undefined
  }

  #choose(): Upstream | undefined {
    const { selector } = this.#dependencies.upstreams
    const height = this.#nextHeight() ?? this.#options.from
    const now = Date.now()
    const restsUntil = ({ name }: Upstream): number => Math.max(now, this.#backoffs.until(name))
    const candidates = selector.candidates({ weight: 'light', kind: 'block', height })
    return candidates.toSorted((one, other) => restsUntil(one) - restsUntil(other))[0]
  }

  /**
   * Forgets the height that an upstream in quarantine claimed: until another one is followed, what the others claim counts.
   * What one claimed that is only away stays known until then.
   */
  #forgetTarget(): void {
    const { proofs, writer, onTarget, upstreams } = this.#dependencies
    const candidates = upstreams.selector.candidates({ weight: 'light', kind: 'any' })
    const [next = 0, ...others] = candidates.map(({ status }) => status?.latestHeight ?? 0)
    onTarget(Math.max(writer.last?.number ?? 0, proofs?.trustedHeight ?? 0, backedHeight(next, others)))
  }

  /** Logs why an upstream is left; rethrows an error that the upstream did not cause. */
  #handleUpstreamError({ name: node }: Upstream, failure: unknown): void {
    const error = withAdvice(failure)
    if (this.#signal.aborted) return
    const isLie = error instanceof ProvenLie
    if (isLie) this.#dependencies.onLie?.(node, error)
    if (error instanceof UpstreamError) return this.#dependencies.onQuarantine(node, error.message, isLie)
    // A home without blocks has nothing to serve meanwhile: its start fails.
    if (error instanceof TrustError && this.#nextHeight() === undefined) throw error
    if (error instanceof UntakenBlockError || error instanceof TrustError) {
      // Another node may have another answer; what is stored is served meanwhile.
      this.#backoffs.onFailure(node, Date.now())
      return this.#keepUntaken(error.message)
    }
    if (error instanceof NativeQueryError || error instanceof TransportError) {
      this.#backoffs.onFailure(node, Date.now())
      return this.#tellLeft(node, error.message)
    }
    throw error
  }

  /** Tells why a node is left, and not again for each attempt of an outage. */
  #tellLeft(node: string, reason: string): void {
    const { log, upstreams } = this.#dependencies
    const [key, now] = [`${node} ${reason}`, Date.now()]
    if (now - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < tellAgainMs) return
    if (this.#told.size >= maxTold) this.#told.clear()
    this.#told.set(key, now)
    const isAlone = upstreams.selector.stats().length === 1
    const what = isAlone ? 'the node gives no blocks: it is asked again' : 'another node is asked for blocks'
    log.warn({ node, reason }, what)
  }

  #keepUntaken(reason: string): void {
    const { log, onUntaken } = this.#dependencies
    const height = this.#nextHeight() ?? this.#options.from ?? 1
    const before = this.#untaken?.height === height ? this.#untaken.attempts : 0
    this.#untaken = { height, reason, attempts: before + 1 }
    const pauseSeconds = Math.round(this.#untakenPauseMs() / 1_000)
    log.error({ block: height, reason, pauseSeconds }, 'a block cannot be taken; those below it are served')
    onUntaken({ height, reason })
  }

  #session(upstream: Upstream): FollowSession {
    const shared = { rounds: this.#rounds, backoffs: this.#backoffs, slow: this.#slow }
    return new FollowSession(upstream, this.#options, this.#dependencies, shared, this.#signal)
  }
}
