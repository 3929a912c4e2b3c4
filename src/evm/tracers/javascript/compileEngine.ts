import { readFile } from 'node:fs/promises'
import { wasmUrl } from '../../../base/threads/builtFiles.ts'

/**
 * Compiles the engine. To keep the module saves every worker the work, because V8 shares the code of equal
 * modules within a process, also the code that a worker has optimised.
 */
export const compileEngine = async (): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(wasmUrl('quickjs')))
