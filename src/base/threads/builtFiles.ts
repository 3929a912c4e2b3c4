import { readFileSync } from 'node:fs'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { packageRoot } from '../packageRoot.ts'

/**
 * The entry points of worker threads, and of serving processes, below `src/`. A worker can load only JavaScript, so that it runs from its bundle,
 * `dist/workers/<name>.js`, even if the rest runs from `src/`.
 */
export const workerEntries = {
  app: 'node/application/worker.ts',
  call: 'execute/workers/callWorker.ts',
  follow: 'gateway/follow/followWorker.ts',
  question: 'gateway/calls/questionWorker.ts',
  recovery: 'pool/recovery/worker.ts',
  scrypt: 'keystore/keyFile/scryptWorker.ts',
  serving: 'service/serving/worker.ts',
  sidecar: 'pool/sidecars/worker.ts',
  snapshot: 'engine/cometbft/snapshots/worker.ts',
  stateTest: 'evm/stateTest/stateTestWorker.ts',
} as const

/** The WebAssembly that the build makes: `dist/wasm/<name>.wasm`. */
type WasmName =
  | 'machine'
  | 'machineTraced'
  | 'precompiles'
  | 'keccak'
  | 'mcl'
  | 'packing'
  | 'quickjs'
  | 'trie'

export type WorkerName = keyof typeof workerEntries

export const workerUrl = (name: WorkerName): URL => new URL(`dist/workers/${name}.js`, packageRoot)

/** The description of all methods, as OpenRPC. */
export const openRpcUrl = new URL('dist/openrpc.json', packageRoot)

/** The files of the explorer, compressed. */
export const explorerUrl = new URL('dist/explorer/', packageRoot)

/** The signatures of secp256k1 in JavaScript, for those that cannot load the native ones. */
export const nobleUrl = new URL('dist/bundles/noble.js', packageRoot)

/** The program itself, for those that start it again as a process of its own. */
export const programUrl = new URL('dist/cli/main.js', packageRoot)

/** Starts a worker thread from its built file. */
export const startWorker = (name: WorkerName, options: WorkerOptions = {}): Worker =>
  new Worker(workerUrl(name), { name, ...workerFlags(process.execArgv), ...options })

interface SpareWorker {
  readonly worker: Worker
  /** Resolves when the worker has loaded its code, or has ended. */
  readonly loaded: Promise<unknown>
}

const spares = new Map<WorkerName, SpareWorker>()

/** Starts a worker that `takeWorker` returns later, so that it loads its code while this thread does other things. */
export const prestartWorker = (name: WorkerName): void => {
  if (!spares.has(name)) keepSpareWorker(name, startSpareWorker(name))
}

/** Starts a worker that gets its options by calls. */
export const startSpareWorker = (name: WorkerName): Worker =>
  startWorker(name, { workerData: { worker: name } })

/**
 * Keeps a worker for `takeWorker`, one that was started even before this code was loaded. It does not keep the process
 * alive. Its first message tells that it has loaded its code.
 */
export const keepSpareWorker = (name: WorkerName, worker: Worker): void => {
  worker.unref()
  const forget = (): void => {
    if (spares.get(name)?.worker === worker) spares.delete(name)
  }
  const loaded = new Promise<unknown>((resolve) => {
    worker.once('message', resolve)
    worker.once('exit', resolve)
  })
  // A worker that ends before it is taken is replaced by a new one, whose user learns what is wrong.
  worker.on('error', forget)
  worker.on('exit', forget)
  spares.set(name, { worker, loaded })
}

/** Returns a worker that gets its options by calls: the one that was started ahead, or a new one. */
export const takeWorker = (name: WorkerName): Worker => {
  const spare = spares.get(name)?.worker
  spares.delete(name)
  spare?.ref()
  return spare ?? startSpareWorker(name)
}

/**
 * Ends a worker that was started ahead and that nobody took. It is not ended while it loads its code, nor may the process
 * end then: native packages abort the process if their thread goes away while they are loaded.
 */
export const endSpareWorker = async (name: WorkerName): Promise<void> => {
  const spare = spares.get(name)
  spares.delete(name)
  if (spare === undefined) return
  spare.worker.ref()
  await spare.loaded
  await spare.worker.terminate()
}

/**
 * Returns the `execArgv` of a worker. Threads inherit the flags of their process, but with `--input-type`, which is for
 * the text of `--eval`, a thread could not load a file. It then gets no flags at all, because an explicit list may not
 * hold flags of the whole process.
 */
export const workerFlags = (flags: readonly string[]): Pick<WorkerOptions, 'execArgv'> =>
  flags.some((flag) => flag.startsWith('--input-type')) ? { execArgv: [] } : {}

export const wasmUrl = (name: WasmName): URL => new URL(`dist/wasm/${name}.wasm`, packageRoot)

/**
 * Compiles and starts a small module at once, for code that works while modules load and cannot wait. It takes less than a
 * millisecond. `Exports` is what the module of that name exports.
 */
export const instantiateWasm = <Exports>(name: WasmName): Exports =>
  new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasmUrl(name)))).exports as unknown as Exports
