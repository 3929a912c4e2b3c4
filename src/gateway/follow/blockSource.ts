import { CometError } from '../client/cometResponse.ts'
import { parseStatus } from '../client/cometResponses.ts'
import { CometWsClient } from '../client/cometWsClient.ts'
import { toQueryError } from '../client/queryErrors.ts'
import { parseBlock } from '../parse/block.ts'
import type { NativeBlock, NativeBlockResults } from '../parse/native.ts'
import { type NewBlock, parseNewBlock } from '../parse/newBlock.ts'
import { parseResults } from '../parse/results.ts'
import { UpstreamError } from '../parse/upstreamError.ts'

/** A native block with the results of its transactions. */
export interface NativeBlockWithResults {
  readonly block: NativeBlock
  readonly results: NativeBlockResults
}

const maxReplyBytes = 128 * 1024 * 1024
const maxInFlight = 64
/** How far blocks are requested ahead of the consumer, in heights and in bytes. */
const maxPrefetch = 128
const minPrefetch = 2
const maxPrefetchBytes = 32 * 1024 * 1024
/** The largest number of events that are buffered; a consumer that is further behind requests the blocks instead. */
const maxEvents = 64

/**
 * The blocks of one upstream: new ones from `NewBlock` events, and others by height with many requests in flight.
 * Blocks and results use one connection each, because a node answers the calls of one connection one after the other.
 */
export class BlockSource {
  readonly node: string
  readonly #blocks: CometWsClient
  readonly #results: CometWsClient
  readonly #timeoutMs: number
  readonly #events = new Map<number, NewBlock>()
  #latest = 0
  #isFresh = false
  #failure: Error | undefined
  #wake: (() => void) | undefined
  /** The size of recent replies in bytes: the largest, with older ones counting less and less. */
  #largest = 4_096

  constructor(node: string, timeoutMs: number) {
    this.node = node
    this.#timeoutMs = timeoutMs
    this.#blocks = new CometWsClient(node, { maxReplyBytes, maxInFlight })
    this.#results = new CometWsClient(node, { maxReplyBytes, maxInFlight })
    this.#blocks.subscribe({
      query: "tm.event='NewBlock'",
      onEvent: (event) => this.#onEvent(event),
      onStart: () => this.#changed(),
      onEnd: (error) => this.#changed(error),
    })
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

  /** Yields the blocks of a range of heights in their order. Each is requested once. */
  async *stream(from: number, to: number): AsyncGenerator<NativeBlockWithResults> {
    const requests: Promise<NativeBlockWithResults>[] = []
    let next = from
    for (let height = from; height <= to; height++) {
      const ahead = Math.max(minPrefetch, Math.min(maxPrefetch, Math.floor(maxPrefetchBytes / this.#largest)))
      for (; next <= to && requests.length < ahead; next++) requests.push(ignoreRejection(this.#pair(next)))
      yield await (requests.shift() as Promise<NativeBlockWithResults>) // there is one request for each height
    }
  }

  /** Returns the buffered blocks of events below a height. */
  drainBelow(below: number): readonly NativeBlock[] {
    const old = [...this.#events.values()].filter(({ block }) => block.header.height < below)
    for (const { block } of old) this.#events.delete(block.header.height)
    return old.map(({ block }) => block)
  }

  block(height: number): Promise<NativeBlock> {
    return this.#fetchBlock(height)
  }

  /** Requests a block again, whatever an event contained. */
  async fetch(height: number): Promise<NativeBlockWithResults> {
    this.#events.delete(height)
    return this.#pair(height)
  }

  close(): void {
    this.#blocks.close()
    this.#results.close()
  }

  async #pair(height: number): Promise<NativeBlockWithResults> {
    const event = this.#events.get(height)
    if (event) {
      this.#events.delete(height)
      const results = event.results ?? this.#fetchResults(height)
      return { block: event.block, results: await results }
    }
    const [block, results] = await Promise.all([this.#fetchBlock(height), this.#fetchResults(height)])
    return { block, results }
  }

  async #fetchBlock(height: number): Promise<NativeBlock> {
    return parseBlock(await this.#call(this.#blocks, 'block', height))
  }

  async #fetchResults(height: number): Promise<NativeBlockResults> {
    const results = parseResults(await this.#call(this.#results, 'block_results', height))
    if (results.height !== height)
      throw new UpstreamError(`asked for the results of ${height}, got those of ${results.height}`)
    return results
  }

  async #call(socket: CometWsClient, method: string, height: number): Promise<unknown> {
    const onLength = (bytes: number): void => {
      this.#largest = Math.max(bytes, 0.98 * this.#largest)
    }
    try {
      return await socket.call(method, { height: String(height) }, { timeoutMs: this.#timeoutMs, onLength })
    } catch (error) {
      throw error instanceof CometError ? toQueryError(error) : error
    }
  }

  #onEvent(event: unknown): void {
    try {
      const found = parseNewBlock(event)
      const { height } = found.block.header
      this.#latest = Math.max(this.#latest, height)
      this.#events.set(height, found)
      for (const oldest of this.#events.keys()) {
        if (this.#events.size <= maxEvents) break
        this.#events.delete(oldest)
      }
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

/** Marks a rejection as handled, because failures of requests made ahead are observed when their turn comes. */
const ignoreRejection = <Value>(promise: Promise<Value>): Promise<Value> => {
  promise.catch(() => undefined)
  return promise
}
