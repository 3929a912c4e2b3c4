import { equalBytes } from '../../base/encoding/bytes.ts'
import type { NativeBlock } from '../../comet/data/nativeBlock.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { TransportError } from '../../comet/data/transportErrors.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { Backoffs } from '../upstreams/choice/backoffs.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { type BlockRounds, openSource, type Session } from './blockRounds.ts'
import type { BlockSource } from './blockSource.ts'
import type { FollowDependencies, FollowOptions } from './followOptions.ts'
import { LateLead } from './lateLead.ts'
import type { SlowLead } from './slowLead.ts'

/**
 * Returns how much counts of the height that a node claims before it has given a block: what another node has too. Where
 * there is no other, its word is all that is known.
 */
export const backedHeight = (claimed: number, others: readonly number[]): number =>
  others.length === 0 ? claimed : Math.min(claimed, Math.max(...others))

/** The largest number of blocks that are processed before the upstream is asked again for its height. */
const maxBlocksPerRound = 10_000
/** The same while its height is a claim that nothing bears out yet. */
const firstBlocks = 64
const idleCheckMs = 5_000

/** Follows the chain with one upstream, until that is left. */
export class FollowSession {
  readonly #upstream: Upstream
  readonly #options: FollowOptions
  readonly #dependencies: FollowDependencies
  readonly #rounds: BlockRounds
  readonly #backoffs: Backoffs
  readonly #slow: SlowLead
  readonly #signal: AbortSignal
  /** Why the upstream is left in the middle of a request. */
  #leaving: NativeQueryError | undefined

  constructor(
    upstream: Upstream,
    options: FollowOptions,
    dependencies: FollowDependencies,
    shared: { readonly rounds: BlockRounds; readonly backoffs: Backoffs; readonly slow: SlowLead },
    signal: AbortSignal,
  ) {
    this.#upstream = upstream
    this.#options = options
    this.#dependencies = dependencies
    this.#rounds = shared.rounds
    this.#backoffs = shared.backoffs
    this.#slow = shared.slow
    this.#signal = signal
  }

  /** Follows the chain until the signal is aborted, or throws why the upstream is left. */
  async run(): Promise<void> {
    const { name } = this.#upstream
    const { upstreams, writer, proofs, onTarget } = this.#dependencies
    const source = openSource(this.#upstream, this.#options)
    const close = (): void => source.close()
    this.#signal.addEventListener('abort', close, { once: true })
    const session: Session = { held: undefined }
    let watch: NodeJS.Timeout | undefined
    try {
      await this.#compareHeads(source)
      watch = this.#leaveIfSlow(session, close)
      const begin = writer.last?.number ?? 0
      const late = new LateLead()
      while (!this.#signal.aborted) {
        if (this.#leaving) throw this.#leaving
        const latest = await this.#latest(source)
        const head = session.held?.block.header.height ?? writer.last?.number
        if (writer.last !== undefined) await this.#compareOld(source, writer.last.number)
        this.#leaveIfLate(latest, head, late)
        const hasGiven = head !== undefined && head > begin
        const backed = hasGiven ? latest : backedHeight(latest, this.#claimsOfOthers())
        // What is trusted is there, whatever this node says: until it is reached the store is behind.
        onTarget(Math.max(backed, proofs?.trustedHeight ?? 0))
        const most = latest > backed ? firstBlocks : maxBlocksPerRound
        const next = head === undefined ? (this.#options.from ?? upstreams.earliest().block) : head + 1
        if (next > latest) await source.waitForChange(idleCheckMs)
        else {
          await this.#rounds.take(source, next, Math.min(latest, next + most - 1), session)
          this.#backoffs.onSuccess(name)
        }
      }
    } catch (error) {
      // Its line was closed, which is all that the call in the middle of which it was left knows.
      throw error instanceof TransportError ? (this.#leaving ?? error) : error
    } finally {
      clearInterval(watch)
      this.#signal.removeEventListener('abort', close)
      source.close()
    }
  }

  #claimsOfOthers(): readonly number[] {
    return this.#dependencies.upstreams.selector
      .candidates({ weight: 'light', kind: 'any' })
      .filter(({ name }) => name !== this.#upstream.name)
      .map(({ status }) => status?.latestHeight ?? 0)
  }

  /** Asks for the newest height. Trust begins as soon as there is a block to begin with. */
  async #latest(source: BlockSource): Promise<number> {
    const latest = await source.latest()
    await this.#dependencies.proofs?.open(source, latest)
    return latest
  }

  /**
   * Compares the newest block that both have. The chain never goes back, so an upstream with another block is not of
   * the chain. One with a lower height is late: a node that catches up, or another one behind the same address.
   */
  async #compareHeads(source: BlockSource): Promise<void> {
    const { last } = this.#dependencies.writer
    const latest = await this.#latest(source)
    if (last === undefined || last.number === 0) return
    const height = Math.min(latest, last.number)
    try {
      if (height > 0) await this.#compare(source, await source.block(height), height)
    } catch (error) {
      // An upstream that pruned everything below the next block can still deliver that one, whose parent hash is
      // checked.
      if (!(error instanceof NativeQueryError && error.kind === 'pruned')) throw error
    }
  }

  /**
   * Leaves an upstream that is behind the head, or that stays where it is, if another one is known to be further. Without
   * another one it is waited for; this is asked again each time, because the other one may only have lost its line.
   */
  #leaveIfLate(latest: number, head: number | undefined, late: LateLead): void {
    const highest = this.#highestOfOthers(head)
    const isLeft = late.isLeft(latest, highest, performance.now())
    if (head !== undefined && latest < head && highest > latest)
      throw new NativeQueryError('future height', `it is at ${latest}, behind block ${head}`)
    if (isLeft)
      throw new NativeQueryError('future height', `it stays at ${latest} while another one is at ${highest}`)
  }

  /** Leaves an upstream that gives no blocks, or hardly any, while another one has them: its line is closed. */
  #leaveIfSlow(session: Session, close: () => void): NodeJS.Timeout {
    const { writer } = this.#dependencies
    let taken = 0
    this.#slow.begin()
    return setInterval(() => {
      taken = Math.max(taken, session.held?.block.header.height ?? 0, writer.last?.number ?? 0)
      const highest = this.#highestOfOthers(taken)
      if (!this.#slow.isLeft(taken, highest, performance.now())) return
      const reason = `it gives no block after ${taken}, or few, while another one is at ${highest}`
      this.#leaving ??= new NativeQueryError('unavailable', reason)
      close()
    }, this.#slow.everyMs).unref()
  }

  /** Returns the highest that another upstream says which could be asked for the block after the head. */
  #highestOfOthers(head: number | undefined): number {
    const now = Date.now()
    // A node that has just failed is not returned to at once, because it would fail again, and this one be left again.
    const others = this.#dependencies.upstreams.selector
      .candidates({ weight: 'light', kind: 'block', height: head === undefined ? undefined : head + 1 })
      .filter(({ name }) => name !== this.#upstream.name && this.#backoffs.until(name) <= now)
    return Math.max(0, ...others.map(({ status }) => status?.latestHeight ?? 0))
  }

  async #compareOld(source: BlockSource, head: number): Promise<void> {
    for (const block of source.drainBelow(head + 1)) await this.#compare(source, block, block.header.height)
  }

  async #compare(source: BlockSource, { hash, header }: NativeBlock, height: number): Promise<void> {
    const known = this.#dependencies.nativeHashAt(height)
    if (header.height === height && !(known && !equalBytes(known, hash))) return
    if (known && header.height === height) await this.#dependencies.proofs?.examine(source, height, known)
    throw new UpstreamError(`block ${height}: its hash is another than the one that was seen before`)
  }
}
