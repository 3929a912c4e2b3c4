import type { InlineLimits } from './nodeExecutor.ts'
import type { TraceLimits } from './nodeTraces.ts'
import type { WorkerPoolOptions } from './workers/workerPool.ts'

/** The settings of `[json-rpc]` that limit execution. Times are in milliseconds, sizes in bytes. */
export interface ExecutionSettings {
  readonly gasCap: bigint
  readonly inlineGas: bigint
  readonly callWorkers: number
  readonly callQueue: number
  readonly callMemory: number
  readonly queueTimeout: number
  readonly evmTimeout: number
  readonly traceWorkers: number
  readonly traceQueue: number
  readonly traceTimeout: number
  readonly traceMaxSize: number
  readonly traceSpool: number
  readonly traceMemory: number
  /**
   * The longest that one call may block the main thread, for calls whose gas does not show their cost. Only tests set
   * it.
   */
  readonly inlineTime?: number
  /** A worker that does not stop by itself is terminated after this time. Only tests set it. */
  readonly workerGrace?: number
}

const defaultInlineTime = 5
const defaultWorkerGrace = 1000

type CallWorkerSettings = Pick<
  ExecutionSettings,
  'callWorkers' | 'callQueue' | 'callMemory' | 'queueTimeout' | 'evmTimeout' | 'workerGrace'
>

/** Returns the limits of a call on the main thread. */
export const inlineLimits = ({
  inlineGas,
  inlineTime = defaultInlineTime,
}: Pick<ExecutionSettings, 'inlineGas' | 'inlineTime'>): InlineLimits => ({
  gas: inlineGas,
  milliseconds: inlineTime,
})

export const callWorkerOptions = (settings: CallWorkerSettings): WorkerPoolOptions => ({
  workers: settings.callWorkers,
  queue: { size: settings.callQueue, waitMs: settings.queueTimeout, setting: 'json-rpc.call-queue' },
  memoryMegabytes: toMegabytes(settings.callMemory),
  timeoutMs: settings.evmTimeout,
  graceMs: settings.workerGrace ?? defaultWorkerGrace,
})

export const traceWorkerOptions = (settings: ExecutionSettings): WorkerPoolOptions => ({
  workers: settings.traceWorkers,
  queue: { size: settings.traceQueue, waitMs: settings.queueTimeout, setting: 'json-rpc.trace-queue' },
  memoryMegabytes: toMegabytes(settings.traceMemory),
  timeoutMs: settings.traceTimeout,
  graceMs: settings.workerGrace ?? defaultWorkerGrace,
})

export const traceLimits = (
  settings: ExecutionSettings,
  folders: Pick<TraceLimits, 'folder' | 'spoolFolder' | 'minFreeBytes'>,
): TraceLimits => ({
  timeoutMs: settings.traceTimeout,
  maxBytes: settings.traceMaxSize,
  spoolBytes: settings.traceSpool,
  // The rest is for the EVM and for the result that a tracer builds from the data that it holds.
  memoryBytes: Math.floor(settings.traceMemory / 4),
  ...folders,
})

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000)
