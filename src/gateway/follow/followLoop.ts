import { equalBytes } from '../../base/bytes.ts'
import type { Logger } from '../../base/log.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import { pause, TransportError } from '../client/deadline.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import type { Upstream } from '../client/upstream.ts'
import type { Upstreams } from '../client/upstreams.ts'
import { checkCoherence } from '../convert/coherence.ts'
import { convertBlock } from '../convert/convertBlock.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { isCosmosTransaction } from '../nativeView/synthetic.ts'
import type { NativeBlock, NativeHeader } from '../parse/native.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import { resultsHash } from '../verify/contentHashes.ts'
import { verifyBlock, verifyResults } from '../verify/verify.ts'
import type { BlockWriter, LastBlock, WrittenBlock } from './blockWriter.ts'
import { ChainSource, type NativePair } from './chainSource.ts'
import { encodeFacts } from './nativeFacts.ts'
import type { SurroundingsReader } from './surroundings.ts'

export interface FollowOptions {
  readonly facts: ChainFacts
  /** The first height of an empty store; undefined: the lowest that a node has. */
  readonly from: number | undefined
  readonly callTimeoutMs: number
}

interface FollowDependencies {
  readonly upstreams: Upstreams
  readonly surroundings: SurroundingsReader
  readonly writer: BlockWriter
  /** Of a block that is in the store. */
  readonly nativeHashAt: (height: number) => Uint8Array | undefined
  readonly log: Logger
  /** Where the chain of the nodes is, whenever that is known anew. */
  readonly onTarget: (height: number) => void
  readonly onQuarantine: (node: string, reason: string) => void
}

/** So many blocks at most are taken before the node is asked again how far it is. */
const stretch = 10_000
const silenceMs = 5_000
const restMs = 30_000
const firstPauseMs = 100
const longestPauseMs = 1_000

/**
 * Takes the blocks of the chain in their order: from a node, checked against what is known, converted, to the store.
 * What a block did is shown true by the header of the next, so that the newest block alone is served on the word of
 * one node; when that word proves wrong, the block is rewritten.
 */
export class FollowLoop {
  readonly #options: FollowOptions
  readonly #dependencies: FollowDependencies
  readonly #signal: AbortSignal
  /** Nodes that failed to give what was asked, and until when others are preferred. */
  readonly #resting = new Map<string, number>()
  #transactions = 0

  constructor(options: FollowOptions, dependencies: FollowDependencies, signal: AbortSignal) {
    this.#options = options
    this.#dependencies = dependencies
    this.#signal = signal
  }

  /** How many were converted. */
  get transactions(): number {
    return this.#transactions
  }

  /** Until the signal comes. Throws what is wrong here and not with a node. */
  async run(): Promise<void> {
    const { upstreams, log } = this.#dependencies
    let failures = 0
    while (!this.#signal.aborted) {
      const upstream = this.#choose()
      if (upstream) {
        const before = this.#nextHeight()
        try {
          await upstreams.set.attempt(upstream, () => this.#session(upstream), this.#signal)
        } catch (error) {
          await this.#dependencies.writer.discard()
          this.#explain(upstream, error)
        }
        if (this.#nextHeight() !== before) failures = 0
      } else if (failures === 0) {
        const earliest = upstreams.earliest().block
        log.warn({ block: this.#nextHeight(), earliest }, 'no node can be asked for the next block')
      }
      await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures++, 10)), this.#signal)
    }
  }

  #nextHeight(): number | undefined {
    const { last } = this.#dependencies.writer
    return last ? last.number + 1 : undefined
  }

  #choose(): Upstream | undefined {
    const { set } = this.#dependencies.upstreams
    const height = this.#nextHeight() ?? this.#options.from
    const now = Date.now()
    const restsUntil = ({ address }: Upstream): number => Math.max(now, this.#resting.get(address.node) ?? 0)
    const candidates = set.candidates({ weight: 'light', kind: 'block', height })
    return candidates.toSorted((one, other) => restsUntil(one) - restsUntil(other))[0]
  }

  /** Logs why a node was left; throws on when it is not the node's doing. */
  #explain({ address }: Upstream, error: unknown): void {
    const { log } = this.#dependencies
    const { node } = address
    if (this.#signal.aborted) return
    if (error instanceof UpstreamFault) return this.#dependencies.onQuarantine(node, error.message)
    if (error instanceof NativeQueryError || error instanceof TransportError) {
      this.#resting.set(node, Date.now() + restMs)
      return void log.warn({ node, reason: error.message }, 'another node is asked for blocks')
    }
    throw error
  }

  async #session({ address }: Upstream): Promise<void> {
    const { upstreams, writer, onTarget } = this.#dependencies
    const source = new ChainSource(address.node, this.#options.callTimeoutMs)
    const close = (): void => source.close()
    this.#signal.addEventListener('abort', close, { once: true })
    try {
      await this.#compareHeads(source)
      while (!this.#signal.aborted) {
        const latest = await source.latest()
        const head = writer.last?.number
        if (head !== undefined) this.#compareOld(source, head)
        onTarget(latest)
        const next = head === undefined ? (this.#options.from ?? upstreams.earliest().block) : head + 1
        if (next <= latest) await this.#advance(source, next, Math.min(latest, next + stretch - 1))
        else await source.change(silenceMs)
      }
    } finally {
      this.#signal.removeEventListener('abort', close)
      source.close()
    }
  }

  /** The chain never goes back: a node that has less, or something else, is not one of it. */
  async #compareHeads(source: ChainSource): Promise<void> {
    const { last } = this.#dependencies.writer
    const latest = await source.latest()
    if (last === undefined || last.number === 0) return
    if (latest < last.number)
      throw new UpstreamFault(`its height is ${latest}, but block ${last.number} was seen before`)
    try {
      this.#compare(await source.block(last.number), last.number)
    } catch (error) {
      // One that keeps nothing below the next block can still give that one, whose parent is looked at.
      if (!(error instanceof NativeQueryError && error.fault === 'pruned')) throw error
    }
  }

  #compareOld(source: ChainSource, head: number): void {
    for (const block of source.takeOld(head + 1)) this.#compare(block, block.header.height)
  }

  #compare({ hash, header }: NativeBlock, height: number): void {
    const known = this.#dependencies.nativeHashAt(height)
    if (header.height !== height || (known && !equalBytes(known, hash)))
      throw new UpstreamFault(`block ${height}: its hash is another than the one that was seen before`)
  }

  async #advance(source: ChainSource, from: number, to: number): Promise<void> {
    const { writer } = this.#dependencies
    const { nativeChainId: chainId } = this.#options.facts
    let held: NativePair | undefined
    for await (const pair of source.pairs(from, to)) {
      const { block } = pair
      const last = writer.last
      const parent = held
        ? { height: held.block.header.height, hash: held.block.hash }
        : last && { height: last.number, hash: last.nativeHash }
      verifyBlock(block, { chainId, height: parent ? parent.height + 1 : from, parent })
      if (held) {
        verifyResults(held.results, block.header)
        await writer.add(await this.#convert(held, source.node))
      } else if (last) await this.#checkLast(source, last, block.header)
      held = pair
      if (this.#signal.aborted) break
    }
    // Served on the word of this node alone, until the next one comes.
    if (held) await writer.add(await this.#convert(held, source.node))
    await writer.flush()
  }

  async #convert({ block, results }: NativePair, node: string): Promise<WrittenBlock> {
    const { surroundings } = this.#dependencies
    const { facts } = this.#options
    const around = await surroundings.of(block.header, this.#signal)
    const converted = convertBlock(block, results, around, facts)
    checkCoherence(converted)
    this.#transactions += converted.transactions.length
    const commitments = { resultsHash: resultsHash(results.transactions), appHash: results.appHash }
    const { native, header } = converted
    return {
      ...commitments,
      number: block.header.height,
      time: Number(header.timestamp),
      nativeHash: block.hash,
      node,
      rows: {
        ...encodeBlockRows(converted),
        native: {
          hash: native.hash,
          transactions: native.transactions.map((facts) => ({
            hash: facts.hash,
            hasFailed: facts.code !== 0,
            isCosmos: isCosmosTransaction(facts),
          })),
          facts: encodeFacts(native, commitments),
        },
      },
    }
  }

  /** Whether the newest block did what the next header says; if not, it is rewritten by what fits. */
  async #checkLast(source: ChainSource, last: LastBlock, next: NativeHeader): Promise<void> {
    const isTrue =
      last.resultsHash.length === 0 ||
      (equalBytes(last.resultsHash, next.lastResultsHash) &&
        (last.appHash === undefined || equalBytes(last.appHash, next.appHash)))
    if (isTrue) return
    const { writer, log, upstreams, onQuarantine } = this.#dependencies
    const { number, node } = last
    const reason = `what it said block ${number} did is not what the next header says`
    log.error({ block: number, node, next: source.node }, 'the newest block was wrong: it is asked for again')
    const again = await source.fetch(number)
    try {
      verifyBlock(again.block, { chainId: this.#options.facts.nativeChainId, height: number })
      if (!equalBytes(again.block.hash, last.nativeHash))
        throw new UpstreamFault(`block ${number}: its hash is another than before`)
      verifyResults(again.results, next)
    } catch (error) {
      // The node does not agree with itself. What it alone has said of the newest block is not served on.
      if (node === source.node && !(await writer.takeBackLast()))
        log.error({ block: number }, 'the only block there is may be wrong')
      throw error
    }
    await writer.replaceLast(await this.#convert(again, source.node))
    log.error({ block: number, node }, 'the newest block was rewritten')
    if (node === source.node) throw new UpstreamFault(reason)
    // One that was found in the store: who told it is not known any more.
    if (node === undefined) return
    upstreams.quarantine(node, reason)
    onQuarantine(node, reason)
  }
}
