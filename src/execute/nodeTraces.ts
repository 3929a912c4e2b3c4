import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { decodeBlock } from '../chain/block/block.ts'
import { refused } from '../chain/chainError.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { TransactionLocation } from '../chain/port/location.ts'
import {
  defaultTraceOptions,
  type StreamedJson,
  type TracedCall,
  type TraceOptions,
  type Tracing,
} from '../chain/port/traces.ts'
import { openSpooledJson, toInMemoryJson } from '../chain/trace/streamedJson.ts'
import {
  blockNotFoundError,
  blockNumberNotFound,
  genesisNotTraceableError,
  pendingHasNoWitnessError,
  pendingNotTraceableError,
  traceTimedOut,
  transactionNotFoundError,
} from '../chain/trace/traceErrors.ts'
import { compileEngine } from '../evm/tracers/javascript/compileEngine.ts'
import { isScript } from '../evm/tracers/tracerRegistry.ts'
import { releaseSpoolSpace, type SpoolFile, SpoolRoom } from './trace/spoolRoom.ts'
import { StepRecords } from './trace/steps/stepRecords.ts'
import type { TraceTarget, TraceTask, TraceTaskResult } from './trace/traceTask.ts'
import type { WorkerPool } from './workers/workerPool.ts'

export interface TraceLimits {
  /** The timeout for each transaction if the client sets none. */
  readonly timeoutMs: number
  /** The maximum size of one trace. */
  readonly maxBytes: number
  /** The memory that a tracer may hold. */
  readonly memoryBytes: number
  /** The folder for traces that are too long for memory. */
  readonly spoolFolder: string
  /** The most disk space of all traces that nobody has read yet. */
  readonly spoolBytes: number
  /** The free space that they leave for blocks. */
  readonly minFreeBytes?: number
  /** The folder for traces that are written to files. */
  readonly folder: string
}

export interface NodeTracesDependencies {
  readonly workers: WorkerPool
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly hashAt: (height: number) => Uint8Array | undefined
  readonly isHead: (height: number) => boolean
  readonly locate: (transactionHash: Uint8Array) => TransactionLocation | undefined
  /** Returns the number of transactions of a block; throws if it is pruned. */
  readonly transactionCount: (height: number) => number | undefined
}

/** Extra time for a worker to notice its timeout. */
const graceMs = 150

/** Traces of the local chain. Each runs on a worker. */
export class NodeTraces implements Tracing {
  readonly #limits: TraceLimits
  readonly #dependencies: NodeTracesDependencies
  /** The compiled JavaScript engine, kept from the first script on. */
  #engine: Promise<unknown> | undefined
  readonly #stepRecords: StepRecords
  readonly #spoolRoom: SpoolRoom

  constructor(limits: TraceLimits, dependencies: NodeTracesDependencies) {
    this.#limits = limits
    this.#dependencies = dependencies
    this.#stepRecords = new StepRecords(limits.spoolFolder)
    this.#spoolRoom = new SpoolRoom({ maxBytes: limits.spoolBytes, minFreeBytes: limits.minFreeBytes ?? 0 })
  }

  async transaction(hash: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson> {
    const location = this.#dependencies.locate(hash)
    if (location === undefined) throw transactionNotFoundError()
    const { number, index } = location
    // What is kept is of the chain's own rules.
    const isKept = options.tracer === 'stepTracer' && options.overrides === undefined
    const blockHash = isKept ? this.#dependencies.hashAt(number) : undefined
    const stepRecord = blockHash && this.#stepRecords.fileFor(blockHash, index)
    return this.#text({ kind: 'transaction', index, stepRecord }, number - 1, options, signal, index + 1)
  }

  async block(at: BlockRef, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson> {
    const number = this.#resolveTraceable(at)
    const count = this.#dependencies.transactionCount(number) ?? 0
    return this.#text({ kind: 'block' }, number - 1, options, signal, count)
  }

  async encodedBlock(rlp: Uint8Array, options: TraceOptions, signal: AbortSignal): Promise<StreamedJson> {
    const { header, transactions } = decodeClientBlock(rlp)
    if (header.number === 0n) throw genesisNotTraceableError()
    const parent = this.#dependencies.resolve({
      kind: 'hash',
      hash: header.parentHash,
      requireCanonical: true,
    })
    if (typeof parent !== 'number' || BigInt(parent) + 1n !== header.number)
      throw blockNotFoundError({ kind: 'hash', hash: header.parentHash, requireCanonical: true })
    return this.#text({ kind: 'encoded', rlp }, parent, options, signal, transactions.length)
  }

  async call(
    call: TracedCall,
    at: BlockRef,
    options: TraceOptions,
    signal: AbortSignal,
  ): Promise<StreamedJson> {
    if (this.#dependencies.resolve(at) === 'pending') throw pendingNotTraceableError()
    const count = 1 + (call.following?.length ?? 0)
    return this.#text({ kind: 'call', call }, this.#height(at), options, signal, count)
  }

  async intermediateRoots(at: BlockRef, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const number = this.#resolveTraceable(at)
    const result = await this.#run(
      { kind: 'roots' },
      number - 1,
      defaultTraceOptions,
      signal,
      Number.MAX_SAFE_INTEGER,
    )
    return result.kind === 'roots' ? result.roots : []
  }

  async witness(at: BlockRef, signal: AbortSignal): Promise<StreamedJson> {
    if (this.#dependencies.resolve(at) === 'pending') throw pendingHasNoWitnessError()
    const number = this.#resolveTraceable(at)
    const count = this.#dependencies.transactionCount(number) ?? 0
    // The transactions are executed twice, and the proofs have the time of one.
    return this.#text({ kind: 'witness' }, number - 1, defaultTraceOptions, signal, 2 * count + 1)
  }

  async blockToFiles(
    at: BlockRef,
    only: Uint8Array | undefined,
    options: TraceOptions,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const number = this.#resolveTraceable(at)
    const target = { kind: 'files', folder: this.#limits.folder, only } as const
    const result = await this.#run(target, number - 1, options, signal, Number.MAX_SAFE_INTEGER)
    return result.kind === 'files' ? result.paths : []
  }

  async #text(
    target: TraceTarget,
    height: number,
    options: TraceOptions,
    signal: AbortSignal,
    count: number,
  ): Promise<StreamedJson> {
    const file = this.#spoolRoom.open(join(this.#limits.spoolFolder, `trace-${randomUUID()}`))
    try {
      const result = await this.#run(target, height, options, signal, count, file)
      if (result.kind === 'text') return toInMemoryJson(result.bytes)
      if (result.kind === 'file')
        return openSpooledJson(file.path, result.size, () => releaseSpoolSpace(file))
      throw new Error(`a trace was answered with ${result.kind}`)
    } catch (error) {
      rmSync(file.path, { force: true })
      releaseSpoolSpace(file)
      throw error
    }
  }

  #run(
    target: TraceTarget,
    height: number,
    options: TraceOptions,
    signal: AbortSignal,
    count: number,
    spoolFile?: SpoolFile,
  ): Promise<TraceTaskResult> {
    const hash = this.#dependencies.hashAt(height)
    if (hash === undefined) throw blockNumberNotFound(height)
    const timeoutMs = options.timeoutMs ?? this.#limits.timeoutMs
    const hasScript = options.tracer !== undefined && isScript(options.tracer)
    // If it fails, the worker compiles the engine itself.
    if (hasScript) this.#engine ??= compileEngine().catch(() => undefined)
    const task: TraceTask = {
      kind: 'trace',
      block: { height, hash, pending: undefined, isHead: this.#dependencies.isHead(height) },
      nextHash: this.#dependencies.hashAt(height + 1),
      target,
      options,
      timeoutMs,
      spoolFile,
      maxBytes: this.#limits.maxBytes,
      memoryLimit: this.#limits.memoryBytes,
    }
    return this.#dependencies.workers.trace(task, signal, {
      // Timers have a maximum; a longer timeout is left to the deadline inside the task.
      timeoutMs: Math.min(timeoutMs * Math.max(1, count), 2 ** 31 - 1 - graceMs),
      graceMs,
      timeoutError: traceTimedOut(),
      endsWorker: hasScript,
    })
  }

  #height(at: BlockRef): number {
    const height = this.#dependencies.resolve(at)
    if (typeof height === 'number') return height
    throw blockNotFoundError(at)
  }

  #resolveTraceable(at: BlockRef): number {
    const height = this.#height(at)
    if (height === 0) throw genesisNotTraceableError()
    // Throws if the block is pruned.
    this.#dependencies.transactionCount(height)
    return height
  }
}

const decodeClientBlock = (rlp: Uint8Array) => {
  try {
    return decodeBlock(rlp)
  } catch (error) {
    throw refused(`could not decode block: ${(error as Error).message}`)
  }
}
