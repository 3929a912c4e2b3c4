/** The modules of the EVM. */
export type EvmWasm = 'machine' | 'machineTraced' | 'precompiles' | 'mcl'

/** Thrown where a module is needed that is not loaded yet: who runs loads it, and starts over. */
export class MissingWasmError extends Error {
  override readonly name = 'MissingWasmError'
  readonly module: EvmWasm

  constructor(module: EvmWasm) {
    super(`the module ${module} is not loaded yet`)
    this.module = module
  }
}
