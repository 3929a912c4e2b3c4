import type { InlineLimits } from './call/executor.ts'
import type { TraceLimits } from './trace/traces.ts'
import type { WorkerPoolOptions } from './workers/workerPool.ts'

/** The settings of `[json-rpc]` that say what running code may take. Times are milliseconds, sizes bytes. */
export interface ExecutionSettings {
  readonly gasCap: bigint
  readonly inlineGas: bigint
  readonly callWorkers: number
  readonly callQueue: number
  readonly callMemory: number
  readonly evmTimeout: number
  readonly traceWorkers: number
  readonly traceTimeout: number
  readonly traceMaxSize: number
  readonly traceMemory: number
  /** The longest that one call may hold up everybody else, where gas does not tell. Nobody sets it but tests. */
  readonly inlineTime?: number
  /** A worker that does not stop by itself is ended after this. Nobody sets it but tests. */
  readonly workerGrace?: number
}

const defaultInlineTime = 5
const defaultWorkerGrace = 1000

/** What a call may take on the main thread. */
export const inlineLimits = ({
  inlineGas,
  inlineTime = defaultInlineTime,
}: ExecutionSettings): InlineLimits => ({
  gas: inlineGas,
  milliseconds: inlineTime,
})

export const callWorkerOptions = (settings: ExecutionSettings): WorkerPoolOptions => ({
  workers: settings.callWorkers,
  maxWaiting: settings.callQueue,
  memoryMegabytes: toMegabytes(settings.callMemory),
  timeoutMs: settings.evmTimeout,
  graceMs: settings.workerGrace ?? defaultWorkerGrace,
})

export const traceWorkerOptions = (settings: ExecutionSettings): WorkerPoolOptions => ({
  workers: settings.traceWorkers,
  maxWaiting: settings.callQueue,
  memoryMegabytes: toMegabytes(settings.traceMemory),
  timeoutMs: settings.traceTimeout,
  graceMs: settings.workerGrace ?? defaultWorkerGrace,
})

export const traceLimits = (
  settings: ExecutionSettings,
  folders: Pick<TraceLimits, 'folder' | 'spoolFolder'>,
): TraceLimits => ({
  timeoutMs: settings.traceTimeout,
  maxBytes: settings.traceMaxSize,
  // The rest is for the machine and for what a tracer makes of what it remembers.
  memoryBytes: Math.floor(settings.traceMemory / 4),
  ...folders,
})

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000)
