import type { Execution, ExecutionContext, PrecompileTable } from './types.ts'

/** Both builds of the interpreter, compiled; can be posted to workers and used there as they are. */
export interface MachineModules {
  readonly fast: WebAssembly.Module
  readonly traced: WebAssembly.Module
}

/** One instance of the machine: it executes one thing at a time, and keeps decoded code between executions. */
export interface Machine {
  /** Ends the execution begun before, if any. */
  begin(context: ExecutionContext): Execution
  /** EIP-152's compression function on the 213 bytes of the precompile's input; 64 bytes. */
  blake2f(input: Uint8Array): Uint8Array
}

export declare const loadModules: () => Promise<MachineModules>

export declare const createMachine: (modules: MachineModules, precompiles: PrecompileTable) => Machine
