import { setTimeout } from 'node:timers/promises'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { JobProgress } from '../../base/logging/jobProgress.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { Events } from '../../chain/port/events.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { traceTimedOut } from '../../chain/trace/traceErrors.ts'
import type { WorkerPool } from '../../execute/workers/workerPool.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { CallCoverage, CallIndexStore } from '../../store/calls/callIndexStore.ts'

export interface CallIndexerOptions {
  /** The memory that a tracer may hold. */
  readonly memoryBytes: number
  /** How long to wait after a failure. */
  readonly retryMs?: number
}

export interface CallIndexerDependencies {
  readonly index: CallIndexStore
  readonly workers: Pick<WorkerPool, 'trace'>
  readonly blocks: BlockStoreReader
  readonly events: Pick<Events, 'onHead'>
  readonly head: () => number
  /** Returns the oldest state that is kept, from which on blocks can be traced. */
  readonly oldestState: () => number
  readonly log: Logger
}

/** The most blocks of one task, and the gas after which no further block is added to it. */
const maxBlocks = 256
const maxGas = 30_000_000n
/** A block that was decided is executed to its end, however long that takes. */
const transactionTimeoutMs = 600_000
const defaultRetryMs = 5_000
/** The fewest blocks whose entries are removed together. */
const leastSwept = 256

/**
 * Fills the index of calls behind the head. A worker executes some blocks again and returns the addresses; they are written
 * here, in one transaction with the height that is reached. What a rollback reverted is removed before anything is added.
 */
export class CallIndexer {
  readonly #options: CallIndexerOptions
  readonly #dependencies: CallIndexerDependencies
  readonly #progress: JobProgress
  readonly #stopping = new AbortController()
  /** The lowest height to which blocks were reverted, and which the index does not know yet. */
  #revertedTo = Number.POSITIVE_INFINITY
  /** Whether the head moved since the last look at it. */
  #hasNews = true
  #wake: () => void = () => {}
  /** The height below which entries are being removed, and the first list that was not looked at yet. */
  #sweep: { readonly height: number; readonly from: Uint8Array | undefined } | undefined
  #running: Promise<void> | undefined

  constructor(options: CallIndexerOptions, dependencies: CallIndexerDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#progress = new JobProgress(
      { doing: 'filling the index of calls', done: 'the index of calls is filled', unit: 'blocks' },
      dependencies.log,
    )
  }

  start(): void {
    const stop = this.#dependencies.events.onHead((change) => {
      if (change.kind === 'reverted') this.#revertedTo = Math.min(this.#revertedTo, change.to)
      this.#hasNews = true
      this.#wake()
    })
    this.#running = this.#run().finally(stop)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { log } = this.#dependencies
    while (!this.#isStopping) {
      try {
        if (!(await this.#step())) await this.#waitForHead()
      } catch (error) {
        if (this.#isStopping) return
        log.warn({ err: error }, 'the index of calls waits: a block could not be indexed')
        await delay(this.#options.retryMs ?? defaultRetryMs, this.#stopping.signal)
      }
    }
  }

  /** Does one task. Returns false if there is nothing to do. */
  async #step(): Promise<boolean> {
    const { index, blocks, head } = this.#dependencies
    this.#hasNews = false
    const coverage = await this.#prune(await this.#reconcile())
    const first = coverage === undefined ? this.#firstBlock() : coverage.newest + 1
    if (first > head()) return this.#sweep !== undefined
    const newest = this.#lastBlock(first)
    const hash = blocks.blockHashAt(newest)
    if (hash === undefined) return false
    const updates = await this.#trace(first, newest)
    // Blocks that were reverted meanwhile are not written.
    const now = blocks.blockHashAt(newest)
    if (this.#revertedTo < newest || now === undefined || !equalBytes(now, hash)) return true
    await index.append({ oldest: coverage?.oldest ?? first, newest, hash }, updates)
    if (newest < head()) this.#progress.step(newest, head())
    else this.#progress.end()
    return true
  }

  /** Removes what is not in the chain any more, and returns what is left. */
  async #reconcile(): Promise<CallCoverage | undefined> {
    const { index, blocks, log } = this.#dependencies
    const revertedTo = this.#revertedTo
    this.#revertedTo = Number.POSITIVE_INFINITY
    const coverage = index.coverage()
    if (coverage === undefined) return undefined
    const newest = Math.min(coverage.newest, revertedTo)
    const hash = blocks.blockHashAt(newest)
    const isKnown = newest < coverage.newest || (hash !== undefined && equalBytes(hash, coverage.hash))
    const isContinuous = newest >= coverage.oldest && newest + 1 >= this.#firstBlock()
    if (hash === undefined || !isKnown || !isContinuous) {
      log.info({ height: coverage.newest }, 'the index of calls is not of this chain and begins again')
      await index.clear()
      return undefined
    }
    if (newest === coverage.newest) return coverage
    const reduced = { oldest: coverage.oldest, newest, hash }
    await index.revertTo(reduced)
    return reduced
  }

  /** Removes entries of blocks that are not kept any more, a part of them at a time, and returns what is covered. */
  async #prune(coverage: CallCoverage | undefined): Promise<CallCoverage | undefined> {
    const { index, blocks } = this.#dependencies
    if (coverage === undefined) {
      this.#sweep = undefined
      return undefined
    }
    if (this.#sweep !== undefined) {
      const { height, from } = this.#sweep
      const next = await index.sweep(height, from)
      this.#sweep = next && { height, from: next }
      return coverage
    }
    // All lists are looked at, so that it is done when a good part of them can go.
    const oldest = Math.min(blocks.oldestComplete(), coverage.newest)
    const least = Math.max(leastSwept, Math.floor((coverage.newest - oldest) / 4))
    if (oldest - coverage.oldest < least) return coverage
    const raised = { ...coverage, oldest }
    await index.raise(raised)
    this.#sweep = { height: oldest, from: undefined }
    return raised
  }

  /** Returns the first block that can be executed again. */
  #firstBlock(): number {
    const { blocks, oldestState } = this.#dependencies
    return Math.max(1, blocks.oldestComplete(), oldestState() + 1)
  }

  /** Returns the last block of the task that begins with a block. */
  #lastBlock(first: number): number {
    const { blocks, head } = this.#dependencies
    let gas = 0n
    let last = first
    while (last < head() && last - first + 1 < maxBlocks) {
      gas += blocks.header(last)?.gasUsed ?? 0n
      if (gas >= maxGas) break
      last++
    }
    return last
  }

  async #trace(first: number, newest: number) {
    const { blocks, workers } = this.#dependencies
    const hash = blocks.blockHashAt(first - 1)
    if (hash === undefined) throw new Error(`block ${first - 1} is not known`)
    const result = await workers.trace(
      {
        kind: 'trace',
        block: { height: first - 1, hash, pending: undefined },
        nextHash: undefined,
        target: { kind: 'callEnds', count: newest - first + 1 },
        options: defaultTraceOptions,
        timeoutMs: transactionTimeoutMs,
        spoolFile: undefined,
        maxBytes: 0,
        memoryLimit: this.#options.memoryBytes,
      },
      this.#stopping.signal,
      {
        timeoutMs: transactionTimeoutMs,
        graceMs: 1_000,
        timeoutError: traceTimedOut(),
        endsWorker: false,
      },
      'long',
    )
    if (result.kind !== 'callEnds') throw new Error(`a trace was answered with ${result.kind}`)
    return result.updates
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Waits until the head has moved since the last look at it. */
  async #waitForHead(): Promise<void> {
    while (!this.#hasNews && !this.#isStopping)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
  }
}

/** Waits for a time, or until the signal aborts. */
const delay = async (ms: number, signal: AbortSignal): Promise<void> => {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})
}
