import { equalBytes } from '../../base/encoding/bytes.ts'
import type { NativeBlock, NativeHeader } from '../../comet/data/nativeBlock.ts'
import { UntakenBlockError, UpstreamError } from '../../comet/data/upstreamError.ts'
import { verifyBlock, verifyResults } from '../../comet/data/verifyBlock.ts'
import type { Backoffs } from '../upstreams/choice/backoffs.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { BlockConversion } from './blockConversion.ts'
import { BlockSource, type NativeBlockWithResults } from './blockSource.ts'
import { type FollowDependencies, type FollowOptions, isJudgement } from './followOptions.ts'
import { NewestBlock } from './newestBlock.ts'
import { minSharedPrefetch, streamShared } from './sharedStream.ts'
import { UnprovenBlocks } from './unprovenBlocks.ts'

/** So many blocks at least are fetched from several upstreams at once; the newest of them always from one. */
const minSharedBlocks = 256
const newestBlocks = 64
const maxHelpers = 3

/** Returns whether a range of blocks is long enough, and its blocks small enough, to ask several upstreams for it. */
const isWorthSharing = (lead: BlockSource, from: number, to: number): boolean =>
  to - from >= minSharedBlocks && lead.prefetch >= minSharedPrefetch

/** Returns the last block of a range that several upstreams deliver. */
const lastShared = (from: number, to: number): number => Math.max(from, to - newestBlocks)

/** Returns the upstreams that have a range of blocks beside the one that is followed. */
const chooseHelpers = (candidates: readonly Upstream[], lead: string, to: number): readonly Upstream[] =>
  candidates
    .filter(
      ({ name, address, status }) =>
        name !== lead &&
        address.weight !== 0 &&
        (address.roles === undefined || address.roles.includes('archive')) &&
        (status?.latestHeight ?? 0) >= to - newestBlocks,
    )
    .slice(0, maxHelpers)

/** What is kept from one round of a session to the next. */
export interface Session {
  /** The newest block, if it waits for the next one. */
  held: NativeBlockWithResults | undefined
}

/** Opens the blocks of an upstream; of one that is watched new ones come as events. */
export const openSource = (
  { address, name }: Upstream,
  { callTimeoutMs, resultsLimits }: Pick<FollowOptions, 'callTimeoutMs' | 'resultsLimits'>,
  isWatched = true,
): BlockSource => {
  const node = { name, url: address.node, headers: address.headers }
  return new BlockSource(node, callTimeoutMs, resultsLimits, isWatched)
}

/** Takes ranges of blocks: fetches, verifies and converts them, and gives them to the writer. */
export class BlockRounds {
  readonly #options: FollowOptions
  readonly #dependencies: FollowDependencies
  readonly #backoffs: Backoffs
  readonly #onTaken: () => void
  readonly #signal: AbortSignal
  readonly #conversion: BlockConversion
  readonly #newest: NewestBlock
  /** The height up to which one upstream is asked alone, because blocks of several were not of one chain. */
  #aloneUpTo = 0

  /** `onTaken` is called when blocks were taken. */
  constructor(
    options: FollowOptions,
    dependencies: FollowDependencies,
    backoffs: Backoffs,
    onTaken: () => void,
    signal: AbortSignal,
  ) {
    this.#options = options
    this.#dependencies = dependencies
    this.#backoffs = backoffs
    this.#onTaken = onTaken
    this.#signal = signal
    this.#conversion = new BlockConversion(options, dependencies, signal)
    this.#newest = new NewestBlock(options.chainInfo.nativeChainId, dependencies, this.#conversion)
  }

  /** The number of transactions converted so far. */
  get transactions(): number {
    return this.#conversion.transactions
  }

  /** Takes a range of blocks, of several upstreams at once if it is long. */
  async take(source: BlockSource, from: number, to: number, session: Session): Promise<void> {
    const helpers = this.#helpersFor(source, from, to)
    if (helpers.length === 0) return this.#advance(source, from, session, source.stream(from, to))
    const stop = (): void => {
      for (const helper of helpers) helper.close()
    }
    this.#signal.addEventListener('abort', stop, { once: true })
    try {
      const blocks = streamShared({ lead: source, helpers }, from, lastShared(from, to))
      await this.#advance(source, from, session, blocks)
    } catch (error) {
      if (!isJudgement(error) || this.#signal.aborted) throw error
      // Which of them said what cannot be is not known: the same blocks are asked of one, and it is judged by them.
      this.#aloneUpTo = to
      session.held = undefined
      await this.#dependencies.writer.discard()
      const nodes = [source, ...helpers].map(({ node }) => node)
      const { message: reason } = error
      this.#dependencies.log.warn({ nodes, reason }, 'blocks of several nodes do not fit: one is asked alone')
    } finally {
      this.#signal.removeEventListener('abort', stop)
      stop()
    }
  }

  /**
   * Opens upstreams that have a range of blocks too. There are none without proofs, by which alone a wrong block of one of
   * them is known before it is served.
   */
  #helpersFor(source: BlockSource, from: number, to: number): readonly BlockSource[] {
    const { upstreams, proofs } = this.#dependencies
    if (proofs === undefined || !isWorthSharing(source, from, to) || from <= this.#aloneUpTo) return []
    const candidates = upstreams.selector.candidates({ weight: 'light', kind: 'block', height: from })
    const now = Date.now()
    return chooseHelpers(candidates, source.node, to)
      .filter(({ name }) => this.#backoffs.until(name) <= now)
      .map((upstream) => openSource(upstream, this.#options, false))
  }

  async #advance(
    source: BlockSource,
    from: number,
    session: Session,
    blocks: AsyncIterable<NativeBlockWithResults>,
  ): Promise<void> {
    const { writer, proofs } = this.#dependencies
    const { nativeChainId: chainId } = this.#options.chainInfo
    const { holdNewest } = this.#options
    const unproven = new UnprovenBlocks(writer, proofs, source, { holdNewest })
    /** The block that is converted: its header proves those below it, also if it cannot be taken. */
    let converting: NativeBlock | undefined
    const addHeld = async (next?: NativeHeader): Promise<void> => {
      const pair = session.held
      session.held = undefined
      if (pair === undefined) return
      converting = pair.block
      await unproven.add(pair.block, await this.#conversion.convert(pair, next))
      converting = undefined
    }
    const finish = async (): Promise<void> => {
      session.held &&= await this.#asToldBy(source, session.held)
      // The results of this block are served on the word of this upstream alone, until the next one proves them.
      if (!holdNewest) await addHeld()
      await unproven.release(session.held?.block ?? converting)
      await writer.flush()
    }
    try {
      for await (const pair of blocks) {
        const { block } = pair
        const last = writer.last
        const { held } = session
        const parent = held
          ? { height: held.block.header.height, hash: held.block.hash }
          : last && { height: last.number, hash: last.nativeHash }
        verifyBlock(block, { chainId, height: parent ? parent.height + 1 : from, parent })
        if (held) {
          verifyResults(held.results, block.header)
          await addHeld(block.header)
        } else if (last) await this.#newest.verify(source, last, block, unproven)
        session.held = pair
        this.#onTaken()
        if (this.#signal.aborted) break
      }
    } catch (error) {
      // All that is below a block that cannot be taken is stored and served.
      if (error instanceof UntakenBlockError) await finish()
      throw error
    }
    await finish()
    this.#onTaken()
  }

  /**
   * Returns a block as the lead tells it. Its results are served on the word of who tells them, or wait for the next round,
   * and the lead is judged by both: what a helper told of the last shared block is asked of the lead again.
   */
  async #asToldBy(lead: BlockSource, pair: NativeBlockWithResults): Promise<NativeBlockWithResults> {
    if (pair.node === lead.node) return pair
    const { height } = pair.block.header
    const again = await lead.fetch(height)
    verifyBlock(again.block, { chainId: this.#options.chainInfo.nativeChainId, height })
    if (!equalBytes(again.block.hash, pair.block.hash))
      throw new UpstreamError(`block ${height}: its hash is another than that of another node`)
    return again
  }
}
