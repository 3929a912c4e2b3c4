import type { NodeHeaders } from '../../comet/client/httpClient.ts'
import { CometHttpClient } from '../../comet/client/httpClient.ts'
import { defaultResultsLimits, type ResultsLimits, ResultsStream } from '../../comet/client/resultsStream.ts'
import { CometWsClient } from '../../comet/client/wsClient.ts'
import { parseCommitReply, type SignedHeader } from '../../comet/data/commit.ts'
import type { NativeBlock, NativeBlockResults } from '../../comet/data/nativeBlock.ts'
import { parseBlock } from '../../comet/data/parseBlock.ts'
import { parseNewBlock, parseNewHeight } from '../../comet/data/parseNewBlock.ts'
import { parseResults } from '../../comet/data/parseResults.ts'
import { toQueryError } from '../../comet/data/queryErrors.ts'
import { type NodeValidator, parseStatus } from '../../comet/data/replies.ts'
import { CometError } from '../../comet/data/replyEnvelope.ts'
import { OversizedMessageError, TransportError } from '../../comet/data/transportErrors.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { AheadBudget, type AheadPlace, blockBytes, resultsBytes } from './aheadBudget.ts'
import { BufferedEvents } from './bufferedEvents.ts'
import { fetchValidators } from './validatorPages.ts'

/** A native block with the results of its transactions. */
export interface NativeBlockWithResults {
  readonly block: NativeBlock
  readonly results: NativeBlockResults
  /** The node that told both, as logs show it. */
  readonly node: string
}

/** The largest block; CometBFT's limit is 100 MB. */
const maxBlockReplyBytes = 160 * 1024 * 1024
/**
 * The largest results, alone or in an event, that are taken by WebSocket, where they are parsed as a whole. Larger ones
 * are fetched by HTTP when their turn comes, and parsed while they arrive. Less than `maxWholeBytes` of their limits.
 */
const maxResultsReplyBytes = 8 * 1024 * 1024
/** How long results may take that are parsed while they arrive: a gigabyte at two megabytes a second. */
const streamTimeoutMs = 10 * 60_000
const maxInFlight = 64
const maxSockets = 2
/** How far blocks are requested ahead of the consumer, in heights and in bytes. */
const maxPrefetch = 128
const minPrefetch = 2
const maxPrefetchBytes = 32 * 1024 * 1024
/** The most memory, about, for replies that wait for their turn: more than the above takes when sizes are as expected. */
const maxAheadBytes = 256 * 1024 * 1024
/** The requests for one height. Replies are undefined if they had no room, and results if they are large. */
interface RequestedBlock {
  readonly place: AheadPlace
  readonly block: Promise<NativeBlock | undefined>
  readonly results: Promise<NativeBlockResults | undefined> | undefined
}

interface BlockCallOptions {
  /** Parameters beside the height. */
  readonly more?: object
  readonly timeoutMs?: number
  /** Called with the length of the reply in bytes, before it is used. */
  readonly onLength?: (bytes: number) => void
}

/**
 * The blocks of one upstream: new ones from `NewBlock` events, and others by height with many requests in flight.
 * Blocks and results use one connection each, because a node answers the calls of one connection one after the other.
 * Events and results that are too large for a WebSocket close it; then results are fetched by HTTP, and after an event
 * that was too large only headers are subscribed to.
 */
export class BlockSource {
  /** The name of the node, as logs show it. */
  readonly node: string
  readonly #blocks: CometWsClient
  readonly #results: CometWsClient
  readonly #http: CometHttpClient
  readonly #limits: ResultsLimits
  readonly #timeoutMs: number
  readonly #ahead = new AheadBudget(maxAheadBytes)
  readonly #events = new BufferedEvents()
  #areEventsOversized = false
  #latest = 0
  #isFresh = false
  #failure: Error | undefined
  #isClosed = false
  #wake: (() => void) | undefined
  /** The size of recent replies in bytes: the largest, with older ones counting less and less. */
  #largest = 4_096

  constructor(
    node: { readonly name: string; readonly url: string; readonly headers?: NodeHeaders | undefined },
    timeoutMs: number,
    limits: ResultsLimits = defaultResultsLimits,
    isWatched = true,
  ) {
    const { name, url, headers } = node
    this.node = name
    this.#timeoutMs = timeoutMs
    this.#limits = limits
    this.#blocks = new CometWsClient(url, { maxReplyBytes: maxBlockReplyBytes, maxInFlight, headers })
    this.#results = new CometWsClient(url, { maxReplyBytes: maxResultsReplyBytes, maxInFlight, headers })
    this.#http = new CometHttpClient(url, { maxReplyBytes: maxResultsReplyBytes, maxSockets, headers })
    if (isWatched) this.#results.subscribe(this.#subscription())
  }

  /** Returns the newest height, as events report it. It is requested if events may have been missed. */
  async latest(): Promise<number> {
    if (this.#failure) throw this.#failure
    if (!this.#isFresh) {
      const reply = await this.#blocks.call('status', {}, { timeoutMs: this.#timeoutMs })
      const { latestHeight } = parseStatus(reply)
      this.#latest = Math.max(this.#latest, latestHeight)
      this.#isFresh = true
    }
    return this.#latest
  }

  /**
   * Resolves when something has changed; after `silenceMs` without events the upstream is asked again for its height.
   */
  async waitForChange(silenceMs: number): Promise<void> {
    if (!this.#isFresh || this.#failure) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#isFresh = false
        resolve()
      }, silenceMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }

  /** How many blocks of the recent size are requested ahead. */
  get prefetch(): number {
    return Math.max(minPrefetch, Math.min(maxPrefetch, Math.floor(maxPrefetchBytes / this.#largest)))
  }

  /** Yields the blocks of a range of heights in their order. */
  async *stream(from: number, to: number): AsyncGenerator<NativeBlockWithResults> {
    const requests: RequestedBlock[] = []
    let next = from
    try {
      for (let height = from; height <= to; height++) {
        for (; next <= to && requests.length < this.prefetch; next++) requests.push(this.#request(next))
        yield await this.#complete(requests.shift() as RequestedBlock, height) // there is one for each height
      }
    } finally {
      for (const { place } of requests) place.end()
    }
  }

  /** Returns the buffered blocks of events below a height. */
  drainBelow(below: number): readonly NativeBlock[] {
    return this.#events.takeBelow(below)
  }

  block(height: number): Promise<NativeBlock> {
    return this.#fetchBlock(height)
  }

  /** Requests a block again, whatever an event contained. */
  async fetch(height: number): Promise<NativeBlockWithResults> {
    this.#events.take(height)
    return this.#complete(this.#request(height), height)
  }

  /** Returns the header of a height with the commit for it, which of the newest block is the one that the node saw. */
  async signedHeader(height: number): Promise<SignedHeader> {
    return parseCommitReply(await this.#call(this.#blocks, 'commit', height))
  }

  validators(height: number): Promise<readonly NodeValidator[]> {
    const ask = (more: object, timeoutMs: number) =>
      this.#call(this.#blocks, 'validators', height, {
        more,
        timeoutMs: Math.min(this.#timeoutMs, timeoutMs),
      })
    return fetchValidators(ask, height)
  }

  close(): void {
    this.#isClosed = true
    this.#wake?.()
    this.#blocks.close()
    this.#results.close()
    this.#http.close()
  }

  #request(height: number): RequestedBlock {
    const event = this.#events.take(height)
    const place = this.#ahead.open()
    const block = event
      ? Promise.resolve(event.block)
      : this.#fetchBlock(height).then((found) => place.keep(found, blockBytes(found)))
    const results = event?.results ? Promise.resolve(event.results) : this.#fetchResults(height, place)
    return { place, block: ignoreRejection(block), results: results && ignoreRejection(results) }
  }

  /**
   * Waits for a requested block. A block that was dropped is requested again, and results that were, or that could not be
   * had by WebSocket, are streamed.
   */
  async #complete({ place, ...request }: RequestedBlock, height: number): Promise<NativeBlockWithResults> {
    place.await()
    try {
      const block = (await request.block) ?? (await this.#fetchBlock(height))
      const results = (await this.#ignoreTransport(request.results)) ?? (await this.#streamResults(height))
      return { block, results, node: this.node }
    } finally {
      place.end()
    }
  }

  /** Returns undefined for results whose transport failed: another one may have them. */
  async #ignoreTransport(
    results: Promise<NativeBlockResults | undefined> | undefined,
  ): Promise<NativeBlockResults | undefined> {
    try {
      return await results
    } catch (error) {
      if (!(error instanceof TransportError) || this.#isClosed) throw error
      return undefined
    }
  }

  async #fetchBlock(height: number): Promise<NativeBlock> {
    const block = parseBlock(await this.#call(this.#blocks, 'block', height))
    this.#sawLength(blockBytes(block))
    return block
  }

  /** Requests results by WebSocket; undefined if recent ones were too large for it. */
  #fetchResults(height: number, place: AheadPlace): Promise<NativeBlockResults | undefined> | undefined {
    if (this.#largest > maxResultsReplyBytes / 2) return undefined
    let length = 0
    const onLength = (bytes: number): void => {
      length = bytes
    }
    return this.#call(this.#results, 'block_results', height, { onLength }).then((reply) =>
      place.keep(checkHeight(parseResults(reply), height), resultsBytes(length)),
    )
  }

  async #streamResults(height: number): Promise<NativeBlockResults> {
    const consumer = new ResultsStream(height, this.#limits)
    const options = { timeoutMs: streamTimeoutMs, idleMs: this.#timeoutMs }
    try {
      const reply = await this.#http.stream('block_results', { height: String(height) }, options, consumer)
      this.#sawLength(consumer.bytes)
      return checkHeight(consumer.assemble(reply), height)
    } catch (error) {
      throw error instanceof CometError ? toQueryError(error) : error
    }
  }

  async #call(
    socket: CometWsClient,
    method: string,
    height: number,
    { more = {}, timeoutMs = this.#timeoutMs, onLength }: BlockCallOptions = {},
  ): Promise<unknown> {
    const options = {
      timeoutMs,
      onLength: (bytes: number) => {
        this.#sawLength(bytes)
        onLength?.(bytes)
      },
    }
    try {
      return await socket.call(method, { height: String(height), ...more }, options)
    } catch (error) {
      throw error instanceof CometError ? toQueryError(error) : error
    }
  }

  #sawLength(bytes: number): void {
    this.#largest = Math.max(bytes, 0.98 * this.#largest)
  }

  #subscription() {
    const query = (): string =>
      this.#areEventsOversized ? "tm.event='NewBlockHeader'" : "tm.event='NewBlock'"
    return {
      get query() {
        return query()
      },
      onEvent: (event: unknown, length: number) => this.#onEvent(event, length),
      onStart: () => this.#changed(),
      onEnd: (error: Error) => {
        // A reply that is too large closes the connection too: headers are enough then as well.
        if (error instanceof OversizedMessageError) this.#areEventsOversized = true
        this.#changed(error instanceof OversizedMessageError ? undefined : error)
      },
    }
  }

  #onEvent(event: unknown, bytes: number): void {
    try {
      const height = this.#areEventsOversized
        ? parseNewHeight(event)
        : this.#events.add(parseNewBlock(event), bytes)
      this.#latest = Math.max(this.#latest, height)
      this.#wake?.()
    } catch (error) {
      this.#changed(error as Error)
    }
  }

  /** Called when a connection broke or is open again: events may have been missed. */
  #changed(error?: Error): void {
    if (error) this.#failure ??= error
    this.#isFresh = false
    this.#events.clear()
    this.#wake?.()
  }
}

const checkHeight = (results: NativeBlockResults, height: number): NativeBlockResults => {
  if (results.height !== height)
    throw new UpstreamError(`asked for the results of ${height}, got those of ${results.height}`)
  return results
}

/** Marks a rejection as handled, because failures of requests made ahead are observed when their turn comes. */
const ignoreRejection = <Value>(promise: Promise<Value>): Promise<Value> => {
  promise.catch(() => undefined)
  return promise
}
