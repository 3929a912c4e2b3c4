import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Logger } from '../../base/log.ts'
import { sleep } from '../../base/sleep.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import { Backoffs } from '../client/choice/backoffs.ts'
import { TransportError } from '../client/deadline.ts'
import { NativeQueryError } from '../client/nativeQueryClient.ts'
import type { Upstream } from '../client/upstream.ts'
import type { UpstreamClient } from '../client/upstreamClient.ts'
import { checkConsistency } from '../convert/consistency.ts'
import { convertBlock } from '../convert/convertBlock.ts'
import type { NativeBlockInfo } from '../convert/convertedBlock.ts'
import { UntakenBlockError } from '../convert/untakenBlockError.ts'
import type { ChainInfo } from '../families/chainInfo.ts'
import { familyOf } from '../families/families.ts'
import type { HeaderProofs } from '../light/headerProofs.ts'
import { TrustError } from '../light/trustError.ts'
import { toNativeRows } from '../nativeView/nativeRows.ts'
import type { NativeBlock, NativeHeader } from '../parse/native.ts'
import type { ResultsLimits } from '../parse/resultsStream.ts'
import { UpstreamError } from '../parse/upstreamError.ts'
import { resultsHash } from '../verify/contentHashes.ts'
import { ProvenLie } from '../verify/provenLie.ts'
import { verifyAppHash, verifyBlock, verifyResults } from '../verify/verify.ts'
import { chooseHelpers, isWorthSharing, lastShared } from './backfillHelpers.ts'
import { BlockSource, type NativeBlockWithResults } from './blockSource.ts'
import type { BlockWrite, BlockWriter, LastBlock } from './blockWriter.ts'
import type { ConversionContextReader } from './conversionContext.ts'
import { LateLead } from './lateLead.ts'
import { encodeNativeBlockInfo } from './nativeBlockInfo.ts'
import { streamShared } from './sharedStream.ts'
import { UnprovenBlocks } from './unprovenBlocks.ts'

export interface FollowOptions {
  readonly chainInfo: ChainInfo
  /** The first height of an empty store; undefined: the lowest that an upstream has. */
  readonly from: number | undefined
  readonly callTimeoutMs: number
  /** The limits of a block's results; undefined: the default ones. */
  readonly resultsLimits?: ResultsLimits | undefined
  /** Whether a block is served only when the next one has proven its results. */
  readonly holdNewest?: boolean | undefined
}

interface FollowDependencies {
  readonly upstreams: UpstreamClient
  readonly contextReader: ConversionContextReader
  readonly writer: BlockWriter
  /** Proves headers; undefined if they are believed. */
  readonly proofs?: HeaderProofs | undefined
  /** Called with each lie that is proven, before its node is quarantined. */
  readonly onLie?: ((node: string, lie: ProvenLie) => void) | undefined
  /** Returns CometBFT's hash of a stored block. */
  readonly nativeHashAt: (height: number) => Uint8Array | undefined
  readonly log: Logger
  /** Called with the height of the upstream chain whenever it is known anew. */
  readonly onTarget: (height: number) => void
  readonly onQuarantine: (node: string, reason: string, isLie: boolean) => void
  /** Called when a block cannot be taken, each time that it was tried, and with undefined when it was taken. */
  readonly onUntaken: (untaken: UntakenBlock | undefined) => void
  /** Called with the number of native transactions of a block whose Ethereum messages are not understood. */
  readonly onUndecoded?: ((count: number) => void) | undefined
}

/** What is kept from one round of a session to the next. */
interface Session {
  /** The newest block, if it waits for the next one. */
  held: NativeBlockWithResults | undefined
}

/** Returns whether an error is a finding about what a node said, and not a failure to say it. */
const isJudgement = (error: unknown): error is Error =>
  error instanceof UpstreamError || error instanceof UntakenBlockError || error instanceof TrustError

/** A block that cannot be taken, so that the store ends below it. */
export interface UntakenBlock {
  readonly height: number
  readonly reason: string
}

/** The largest number of blocks that are processed before the upstream is asked again for its height. */
const maxBlocksPerRound = 10_000
const idleCheckMs = 5_000
const firstPauseMs = 100
const maxPauseMs = 1_000
/** The pauses after a block that could not be taken: with each attempt twice as long. */
const firstUntakenPauseMs = 1_000
const maxUntakenPauseMs = 600_000

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
  #transactions = 0
  /** The height up to which one upstream is asked alone, because blocks of several were not of one chain. */
  #aloneUpTo = 0
  #untaken: (UntakenBlock & { readonly attempts: number }) | undefined

  constructor(options: FollowOptions, dependencies: FollowDependencies, signal: AbortSignal) {
    this.#options = options
    this.#dependencies = dependencies
    this.#signal = signal
  }

  /** The number of transactions converted so far. */
  get transactions(): number {
    return this.#transactions
  }

  /** Follows the chain until the signal is aborted. Throws errors that are not the fault of an upstream. */
  async run(): Promise<void> {
    const { upstreams, log } = this.#dependencies
    let failures = 0
    while (!this.#signal.aborted) {
      const upstream = this.#choose()
      if (upstream) {
        const before = this.#nextHeight()
        try {
          await upstreams.selector.attempt(upstream, () => this.#session(upstream), this.#signal)
        } catch (error) {
          await this.#dependencies.writer.discard()
          this.#handleUpstreamError(upstream, error)
        }
        if (this.#nextHeight() !== before) failures = 0
        this.#clearUntaken()
      } else if (failures === 0) {
        const earliest = upstreams.earliest().block
        log.warn({ block: this.#nextHeight(), earliest }, 'no node can be asked for the next block')
      }
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(failures++, 10))
      await sleep(Math.max(pauseMs, this.#untakenPauseMs()), this.#signal)
    }
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

  /** Logs why an upstream is left; rethrows an error that is not the fault of the upstream. */
  #handleUpstreamError({ name: node }: Upstream, error: unknown): void {
    const { log } = this.#dependencies
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
      return void log.warn({ node, reason: error.message }, 'another node is asked for blocks')
    }
    throw error
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

  #open({ address, name }: Upstream, isWatched = true): BlockSource {
    const { callTimeoutMs, resultsLimits } = this.#options
    const node = { name, url: address.node, headers: address.headers }
    return new BlockSource(node, callTimeoutMs, resultsLimits, isWatched)
  }

  async #session(upstream: Upstream): Promise<void> {
    const { name } = upstream
    const { upstreams, writer, proofs, onTarget } = this.#dependencies
    const source = this.#open(upstream)
    const close = (): void => source.close()
    this.#signal.addEventListener('abort', close, { once: true })
    try {
      await this.#compareHeads(source)
      const session: Session = { held: undefined }
      const late = new LateLead()
      while (!this.#signal.aborted) {
        const latest = await this.#latest(source)
        const head = session.held?.block.header.height ?? writer.last?.number
        if (writer.last !== undefined) await this.#compareOld(source, writer.last.number)
        this.#leaveIfLate(name, latest, head, late)
        // What is trusted is there, whatever this node says: until it is reached the store is behind.
        onTarget(Math.max(latest, proofs?.trustedHeight ?? 0))
        const next = head === undefined ? (this.#options.from ?? upstreams.earliest().block) : head + 1
        if (next > latest) await source.waitForChange(idleCheckMs)
        else {
          await this.#advanceRound(source, next, Math.min(latest, next + maxBlocksPerRound - 1), session)
          this.#backoffs.onSuccess(name)
        }
      }
    } finally {
      this.#signal.removeEventListener('abort', close)
      source.close()
    }
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
  #leaveIfLate(node: string, latest: number, head: number | undefined, late: LateLead): void {
    const now = Date.now()
    const { selector } = this.#dependencies.upstreams
    // One that has just failed is not returned to at once, because it would fail again, and this one be left again.
    const others = selector
      .candidates({ weight: 'light', kind: 'block', height: head === undefined ? undefined : head + 1 })
      .filter(({ name }) => name !== node && this.#backoffs.until(name) <= now)
    const highest = Math.max(0, ...others.map(({ status }) => status?.latestHeight ?? 0))
    const isLeft = late.isLeft(latest, highest, performance.now())
    if (head !== undefined && latest < head && highest > latest)
      throw new NativeQueryError('future height', `it is at ${latest}, behind block ${head}`)
    if (isLeft)
      throw new NativeQueryError('future height', `it stays at ${latest} while another one is at ${highest}`)
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

  /** Takes a range of blocks, of several upstreams at once if it is long. */
  async #advanceRound(source: BlockSource, from: number, to: number, session: Session): Promise<void> {
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
      .map((upstream) => this.#open(upstream, false))
  }

  async #advance(
    source: BlockSource,
    from: number,
    session: Session,
    blocks: AsyncIterable<NativeBlockWithResults>,
  ): Promise<void> {
    const { writer, proofs } = this.#dependencies
    const { nativeChainId: chainId } = this.#options.chainInfo
    const unproven = new UnprovenBlocks(writer, proofs, source)
    const addHeld = async (next?: NativeHeader): Promise<void> => {
      const pair = session.held
      session.held = undefined
      if (pair) await unproven.add(pair.block, await this.#convert(pair, next))
    }
    const finish = async (): Promise<void> => {
      session.held &&= await this.#asToldBy(source, session.held)
      // The results of this block are served on the word of this upstream alone, until the next one proves them.
      if (!this.#options.holdNewest) await addHeld()
      await unproven.release(session.held?.block)
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
        } else if (last) await this.#verifyLast(source, last, block, unproven)
        session.held = pair
        this.#clearUntaken()
        if (this.#signal.aborted) break
      }
    } catch (error) {
      // All that is below a block that cannot be taken is stored and served.
      if (error instanceof UntakenBlockError) await finish()
      throw error
    }
    await finish()
    this.#clearUntaken()
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

  /** Converts a block, and compares it with the next header if that is known. */
  async #convert(
    { block, results, node }: NativeBlockWithResults,
    next: NativeHeader | undefined,
  ): Promise<BlockWrite> {
    const { contextReader } = this.#dependencies
    const { chainInfo } = this.#options
    const around = await contextReader.read(block.header, this.#signal)
    const converted = convertBlock(block, results, around, chainInfo)
    checkConsistency(converted)
    this.#transactions += converted.transactions.length
    // The hash of an Ethereum header that is the chain's own is its application hash, whether the node tells that one or not.
    const isOwn = familyOf(chainInfo).blocks.hash === 'header'
    const appHash = isOwn ? converted.hash : results.appHash
    if (appHash !== undefined && next !== undefined) verifyAppHash(block.header.height, appHash, next)
    const commitments = { resultsHash: resultsHash(results.transactions), appHash }
    const { native, header } = converted
    this.#reportUndecoded(native)
    return {
      ...commitments,
      number: block.header.height,
      time: Number(header.timestamp),
      nativeHash: block.hash,
      node,
      rows: {
        ...encodeBlockRows(converted),
        native: toNativeRows(native, encodeNativeBlockInfo(native, commitments), chainInfo.bech32Prefix),
      },
    }
  }

  #reportUndecoded({ height, transactions }: NativeBlockInfo): void {
    const undecoded = transactions.filter((transaction) => transaction.undecoded !== undefined)
    if (undecoded.length === 0) return
    const [first] = undecoded
    this.#dependencies.log.warn(
      { block: height, transactions: undecoded.length, reason: first?.undecoded },
      'Ethereum messages of a block have a form that is not known here: only the Cosmos view shows them',
    )
    this.#dependencies.onUndecoded?.(undecoded.length)
  }

  /**
   * Checks the results of the newest block against the next header; if they differ, replaces the block with one that
   * matches. That header is proven first: who makes one up would have the block replaced, and its teller called a liar.
   */
  async #verifyLast(
    source: BlockSource,
    last: LastBlock,
    nextBlock: NativeBlock,
    unproven: UnprovenBlocks,
  ): Promise<void> {
    const { header: next } = nextBlock
    const isTrue =
      last.resultsHash.length === 0 ||
      (equalBytes(last.resultsHash, next.lastResultsHash) &&
        (last.appHash === undefined || equalBytes(last.appHash, next.appHash)))
    if (isTrue) return
    await unproven.release(nextBlock)
    const { writer, log, upstreams, onQuarantine, onLie } = this.#dependencies
    const { number, node } = last
    const reason = `what it said block ${number} did is not what the next header says`
    log.error({ block: number, node, next: source.node }, 'the newest block was wrong: it is asked for again')
    const again = await source.fetch(number)
    let write: BlockWrite
    try {
      verifyBlock(again.block, { chainId: this.#options.chainInfo.nativeChainId, height: number })
      if (!equalBytes(again.block.hash, last.nativeHash))
        throw new UpstreamError(`block ${number}: its hash is another than before`)
      verifyResults(again.results, next)
      write = await this.#convert(again, next)
      if (!equalBytes(write.rows.parentHash, last.parentHash))
        throw new UpstreamError(`block ${number}: its Ethereum header does not follow the block before it`)
    } catch (error) {
      // The upstream contradicts itself, so its results of the newest block are not served any longer.
      if (isJudgement(error) && node === source.node && !(await writer.revertLast()))
        log.error({ block: number }, 'the only block there is may be wrong')
      throw error
    }
    await writer.replaceLast(write)
    log.error({ block: number, node }, 'the newest block was rewritten')
    if (node === source.node) throw new ProvenLie('other results', number, reason)
    // The block was loaded from the store, so the upstream that reported it is not known any more.
    if (node === undefined) return
    onLie?.(node, new ProvenLie('other results', number, reason))
    upstreams.quarantine(node, reason, true)
    onQuarantine(node, reason, true)
  }
}
