import { CometError } from '../client/cometReply.ts'
import { CometSocket } from '../client/cometSocket.ts'
import { parseStatus } from '../client/nodeReplies.ts'
import { toQueryError } from '../client/queryFaults.ts'
import { parseBlock } from '../parse/block.ts'
import type { NativeBlock, NativeResults } from '../parse/native.ts'
import { type NewBlock, parseNewBlock } from '../parse/newBlock.ts'
import { parseResults } from '../parse/results.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'

/** A native block with what its transactions did. */
export interface NativePair {
  readonly block: NativeBlock
  readonly results: NativeResults
}

const maxReplyBytes = 128 * 1024 * 1024
const window = 64
/** How far ahead of what is taken is asked, in heights and in bytes. */
const most = 128
const least = 2
const aheadBytes = 32 * 1024 * 1024
/** Events that wait to be taken; who is further behind asks for blocks instead. */
const maxEvents = 64

/**
 * The blocks of one node: by `NewBlock` as they come, and by number, many on their way at once. Blocks and results
 * have a line each, as a node answers the calls of one line one after the other.
 */
export class ChainSource {
  readonly node: string
  readonly #blocks: CometSocket
  readonly #results: CometSocket
  readonly #timeoutMs: number
  readonly #events = new Map<number, NewBlock>()
  #latest = 0
  #isFresh = false
  #failure: Error | undefined
  #wake: (() => void) | undefined
  /** Of the replies of late; what is far back counts less and less. */
  #largest = 4_096

  constructor(node: string, timeoutMs: number) {
    this.node = node
    this.#timeoutMs = timeoutMs
    this.#blocks = new CometSocket(node, { maxReplyBytes, window })
    this.#results = new CometSocket(node, { maxReplyBytes, window })
    this.#blocks.subscribe({
      query: "tm.event='NewBlock'",
      onEvent: (event) => this.#onEvent(event),
      onStart: () => this.#changed(),
      onEnd: (error) => this.#changed(error),
    })
  }

  /** The newest height, as events tell it; asked for when they may have been missed. */
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

  /** Until something has changed; after so much silence the node is asked again what it has. */
  async change(silenceMs: number): Promise<void> {
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

  /** The blocks from one height to another, in their order, each asked for only once. */
  async *pairs(from: number, to: number): AsyncGenerator<NativePair> {
    const coming: Promise<NativePair>[] = []
    let next = from
    for (let height = from; height <= to; height++) {
      const ahead = Math.max(least, Math.min(most, Math.floor(aheadBytes / this.#largest)))
      for (; next <= to && coming.length < ahead; next++) coming.push(quiet(this.#pair(next)))
      yield await (coming.shift() as Promise<NativePair>) // one was asked for each height
    }
  }

  /** Blocks below a height that were told as new. */
  takeOld(below: number): readonly NativeBlock[] {
    const old = [...this.#events.values()].filter(({ block }) => block.header.height < below)
    for (const { block } of old) this.#events.delete(block.header.height)
    return old.map(({ block }) => block)
  }

  block(height: number): Promise<NativeBlock> {
    return this.#fetchBlock(height)
  }

  /** Asked for again, whatever an event has said. */
  async fetch(height: number): Promise<NativePair> {
    this.#events.delete(height)
    return this.#pair(height)
  }

  close(): void {
    this.#blocks.close()
    this.#results.close()
  }

  async #pair(height: number): Promise<NativePair> {
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
    return parseBlock(await this.#ask(this.#blocks, 'block', height))
  }

  async #fetchResults(height: number): Promise<NativeResults> {
    const results = parseResults(await this.#ask(this.#results, 'block_results', height))
    if (results.height !== height)
      throw new UpstreamFault(`asked for the results of ${height}, got those of ${results.height}`)
    return results
  }

  async #ask(socket: CometSocket, method: string, height: number): Promise<unknown> {
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

  /** A line broke or stands again: what happened meanwhile is not known. */
  #changed(error?: Error): void {
    if (error) this.#failure ??= error
    this.#isFresh = false
    this.#events.clear()
    this.#wake?.()
  }
}

/** Failures of what is asked for ahead are seen when their turn comes. */
const quiet = <Value>(promise: Promise<Value>): Promise<Value> => {
  promise.catch(() => undefined)
  return promise
}
