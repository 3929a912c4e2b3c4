import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * What is loaded at run time by its path, below `dist/`: a worker thread loads JavaScript alone, so its file is the built
 * one also where the rest runs from `src/`, and WebAssembly is there only once it was built. A worker's source has the
 * same path below `src/`.
 */
export const workerFiles = {
  application: 'node/application/worker.js',
  call: 'execute/workers/callWorker.js',
  follow: 'gateway/follow/followWorker.js',
  recovery: 'pool/recovery/worker.js',
  scrypt: 'keystore/keyFile/scryptWorker.js',
  sidecar: 'pool/sidecars/worker.js',
  snapshot: 'engine/cometbft/snapshots/worker.js',
  stateTest: 'evm/stateTest/worker.js',
} as const

const wasmFiles = {
  machine: 'evm/machine.wasm',
  machineTraced: 'evm/machineTraced.wasm',
  precompiles: 'wasm/precompiles.wasm',
} as const

/** The same from src/base and from dist/base: both are two folders below the root. */
const builtUrl = (file: string): URL => new URL(`../../dist/${file}`, import.meta.url)

export type WorkerName = keyof typeof workerFiles

export const workerUrl = (name: WorkerName): URL => builtUrl(workerFiles[name])

/** Starts a worker thread from its built file. */
export const startWorker = (name: WorkerName, options: WorkerOptions = {}): Worker =>
  new Worker(workerUrl(name), { name, ...workerFlags(process.execArgv), ...options })

/**
 * Threads get the flags of their process by themselves. With `--input-type`, which says how the text of `--eval` is read,
 * a thread could load no file, so then it gets none: a list of our own may not hold flags of the whole process.
 */
export const workerFlags = (flags: readonly string[]): Pick<WorkerOptions, 'execArgv'> =>
  flags.some((flag) => flag.startsWith('--input-type')) ? { execArgv: [] } : {}

export const wasmUrl = (name: keyof typeof wasmFiles): URL => builtUrl(wasmFiles[name])
