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

export const workerUrl = (name: keyof typeof workerFiles): URL => builtUrl(workerFiles[name])

export const wasmUrl = (name: keyof typeof wasmFiles): URL => builtUrl(wasmFiles[name])
