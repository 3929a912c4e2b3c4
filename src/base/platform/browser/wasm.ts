import { type EvmWasm, MissingWasmError } from '../wasmFiles.ts'
import { decodeBase64 } from './binary.ts'

/** The bytes of modules come as text, each in a module of its own, so that every bundler knows how to load them. */
const sources: Readonly<Record<EvmWasm, () => Promise<{ readonly default: string }>>> = {
  machine: () => import('#wasm/machine'),
  machineTraced: () => import('#wasm/machineTraced'),
  precompiles: () => import('#wasm/precompiles'),
  mcl: () => import('#wasm/mcl'),
}

const loaded = new Map<EvmWasm, Uint8Array<ArrayBuffer>>()

export const readWasm = (name: EvmWasm): Uint8Array<ArrayBuffer> => {
  const bytes = loaded.get(name)
  if (bytes === undefined) throw new MissingWasmError(name)
  return bytes
}

export const loadWasm = async (name: EvmWasm): Promise<void> => {
  if (loaded.has(name)) return
  const bytes = decodeBase64((await sources[name]()).default)
  if (bytes === undefined) throw new Error(`the module ${name} is damaged`)
  loaded.set(name, new Uint8Array(bytes))
}
