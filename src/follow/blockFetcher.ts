import { sleep } from '../base/async/sleep.ts'
import type { Outcome } from './batchAnswer.ts'
import type { BlockBatch, BlockFacts } from './blockBatch.ts'
import { FollowError } from './followError.ts'
import type { BatchOutcome, Call, NodeClient } from './nodeClient.ts'

/** What the feed needs to know of a block beside its records. */
export interface FollowedBlock extends BlockFacts {
  readonly number: number
}

/** Some blocks that follow each other. */
export interface FollowedBlocks<B extends BlockBatch> {
  readonly blocks: readonly FollowedBlock[]
  readonly batch: B
}

export interface FetcherOptions {
  readonly traces: boolean
  /** Whether receipts are requested, as they are if this is not said. */
  readonly receipts?: boolean
  /** How many blocks are requested in a second, at most; without it as many as the node answers. */
  readonly maxRate?: number | undefined
  /** Called before it is tried again after a failure. */
  readonly onRetry: (reason: string, seconds: number) => void
}

/** A batch may grow while its response is smaller than this, and shrinks when it is larger than twice of it. */
const wantedBytes = 4 * 2 ** 20
const maxBlocks = 256
/** The number of batches that are under way at once: the node makes one while another is written. */
const window = 3
/** An unreachable node is retried forever; a node that rejects the same call this many times is believed. */
const maxRefusals = 5
const responseTooLarge = -32003
const nullText = Buffer.from('null')

/** The node answered a call with an error. */
class RefusedError extends Error {
  readonly code: number

  constructor({ code, message }: { readonly code: number; readonly message: string }, method: string) {
    super(`${method}: ${message} (${code})`)
    this.code = code
  }
}

const toTag = (number: number): string => `0x${number.toString(16)}`

/** Reads blocks in order, several batches ahead. */
export class BlockFetcher {
  readonly #client: NodeClient
  readonly #options: FetcherOptions
  readonly #signal: AbortSignal
  #batchBlocks = 8
  /** When the next blocks may be requested. */
  #nextAt = 0

  constructor(
    options: FetcherOptions,
    dependencies: { readonly client: NodeClient; readonly signal: AbortSignal },
  ) {
    this.#options = options
    this.#client = dependencies.client
    this.#signal = dependencies.signal
  }

  async chainId(): Promise<string> {
    return (await this.#call({ method: 'eth_chainId', params: [] })) as string
  }

  async head(): Promise<number> {
    return Number(await this.#call({ method: 'eth_blockNumber', params: [] }))
  }

  /** Returns the hash of a block; undefined if the node does not have it. */
  async hashOf(number: number): Promise<string | undefined> {
    const block = await this.#call({ method: 'eth_getBlockByNumber', params: [toTag(number), false] })
    return (block as { readonly hash: string } | null)?.hash
  }

  /** Yields the blocks of a range, some at a time, each time with a batch that they were added to. */
  async *read<B extends BlockBatch>(
    from: number,
    to: number,
    createBatch: () => B,
  ): AsyncGenerator<FollowedBlocks<B>> {
    const ahead: Promise<readonly FollowedBlocks<B>[]>[] = []
    let next = from
    while (next <= to || ahead.length > 0) {
      while (next <= to && ahead.length < window) {
        const { maxRate = Number.POSITIVE_INFINITY } = this.#options
        const count = Math.min(this.#batchBlocks, to - next + 1, Math.max(1, Math.floor(maxRate)))
        await this.#waitForTurn(count / maxRate)
        const blocks = this.#readBlocks(next, count, createBatch)
        // It is awaited later; a failure until then has no other listener.
        blocks.catch(() => undefined)
        ahead.push(blocks)
        next += count
      }
      yield* await (ahead.shift() as Promise<readonly FollowedBlocks<B>[]>)
    }
  }

  /** Waits until blocks may be asked for that use up some seconds of what the node may be asked. */
  async #waitForTurn(seconds: number): Promise<void> {
    if (seconds === 0) return
    const now = performance.now()
    if (this.#nextAt > now) await sleep(this.#nextAt - now, this.#signal)
    this.#nextAt = Math.max(this.#nextAt, now) + seconds * 1000
  }

  async #readBlocks<B extends BlockBatch>(
    from: number,
    count: number,
    createBatch: () => B,
  ): Promise<readonly FollowedBlocks<B>[]> {
    try {
      return [await this.#retry(() => this.#readBatch(from, count, createBatch()))]
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      if (error.code !== responseTooLarge || count === 1) throw toFollowError(error)
      const half = count >> 1
      this.#batchBlocks = Math.max(1, Math.min(this.#batchBlocks, half))
      const first = await this.#readBlocks(from, half, createBatch)
      return [...first, ...(await this.#readBlocks(from + half, count - half, createBatch))]
    }
  }

  #callsFor(number: number): Call[] {
    const tag = toTag(number)
    const { receipts = true, traces } = this.#options
    const calls: Call[] = [{ method: 'eth_getBlockByNumber', params: [tag, true] }]
    if (receipts) calls.push({ method: 'eth_getBlockReceipts', params: [tag] })
    // Block 0 has nothing to trace, and nodes reject it.
    if (traces && number > 0)
      calls.push({ method: 'debug_traceBlockByNumber', params: [tag, { tracer: 'callTracer' }] })
    return calls
  }

  async #readBatch<B extends BlockBatch>(from: number, count: number, batch: B): Promise<FollowedBlocks<B>> {
    const numbers = Array.from({ length: count }, (_, index) => from + index)
    const calls = numbers.map((number) => this.#callsFor(number))
    const flat = calls.flat()
    const { outcomes, bytes } = await this.#client.batch(flat)
    this.#adapt(count, bytes)
    const results = requireResults(flat, outcomes)
    let at = 0
    const blocks = numbers.map((number, index) => {
      const found = new Map((calls[index] as Call[]).map(({ method }) => [method, results[at++]]))
      const block = found.get('eth_getBlockByNumber')
      const receipts = found.get('eth_getBlockReceipts')
      if (block === undefined || isNull(block) || (receipts !== undefined && isNull(receipts)))
        throw new Error(`the node does not have block ${number} yet`)
      return { number, ...batch.add({ block, receipts, traces: found.get('debug_traceBlockByNumber') }) }
    })
    return { blocks, batch }
  }

  #adapt(count: number, bytes: BatchOutcome['bytes']): void {
    if (bytes > 2 * wantedBytes) this.#batchBlocks = Math.max(1, count >> 1)
    else if (bytes < wantedBytes && count === this.#batchBlocks)
      this.#batchBlocks = Math.min(maxBlocks, count * 2)
  }

  async #call(call: Call): Promise<unknown> {
    try {
      return await this.#retry(async () => {
        const { outcomes } = await this.#client.batch([call])
        return JSON.parse(String(requireResults([call], outcomes)[0])) as unknown
      })
    } catch (error) {
      throw error instanceof RefusedError ? toFollowError(error) : error
    }
  }

  /** Tries until it succeeds, with pauses that double up to half a minute. */
  async #retry<T>(act: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await act()
      } catch (error) {
        if (this.#signal.aborted || error instanceof FollowError) throw error
        if (error instanceof RefusedError && (!isPassing(error) || attempt >= maxRefusals)) throw error
        const seconds = Math.min(30, 2 ** attempt / 2)
        this.#options.onRetry((error as Error).message, seconds)
        await sleep(seconds * 1000, this.#signal)
      }
    }
  }
}

/** Whether a rejection may pass by itself: a limit, or something that is not there yet. What is pruned does not come back. */
const isPassing = ({ code, message }: RefusedError): boolean =>
  code === -32005 || (code === -32002 && findEarliest(message) === undefined)

/** Returns the first block that a node keeps, if it says that it does not keep the requested one. */
const findEarliest = (message: string): string | undefined =>
  /is pruned: the earliest that is kept is (\d+)|is not kept: (\d+) is the earliest/
    .exec(message)
    ?.slice(1)
    .find((number) => number !== undefined)

/** Returns the error with which following ends. */
const toFollowError = ({ message }: RefusedError): FollowError => {
  const earliest = findEarliest(message)
  return new FollowError(
    earliest === undefined ? message : `${message}: begin there, with --from ${earliest}`,
  )
}

const requireResults = (calls: readonly Call[], outcomes: readonly Outcome[]): readonly Buffer[] =>
  outcomes.map(({ result, error }, index) => {
    const { method } = calls[index] as Call
    if (error !== undefined) throw new RefusedError(error, method)
    if (result === undefined) throw new Error(`the node did not answer ${method}`)
    return result
  })

const isNull = (json: Buffer): boolean => json.equals(nullText)
