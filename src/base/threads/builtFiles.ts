import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * The files that are loaded at run time by their path below `dist/`. A worker thread can load only JavaScript, so that
 * its file is the built one even if the rest runs from `src/`, and WebAssembly exists only there. The source of a worker
 * has the same path below `src/`.
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

/** Returns the URL of a built file, which is the same from `src` and from `dist`: both are folders of the root. */
const builtUrl = (file: string): URL => new URL(`../../../dist/${file}`, import.meta.url)

export type WorkerName = keyof typeof workerFiles

export const workerUrl = (name: WorkerName): URL => builtUrl(workerFiles[name])

/** Starts a worker thread from its built file. */
export const startWorker = (name: WorkerName, options: WorkerOptions = {}): Worker =>
  new Worker(workerUrl(name), { name, ...workerFlags(process.execArgv), ...options })

/**
 * Returns the `execArgv` of a worker. Threads inherit the flags of their process, but with `--input-type`, which is for
 * the text of `--eval`, a thread could not load a file. It then gets no flags at all, because an explicit list may not
 * hold flags of the whole process.
 */
export const workerFlags = (flags: readonly string[]): Pick<WorkerOptions, 'execArgv'> =>
  flags.some((flag) => flag.startsWith('--input-type')) ? { execArgv: [] } : {}

export const wasmUrl = (name: keyof typeof wasmFiles): URL => builtUrl(wasmFiles[name])
