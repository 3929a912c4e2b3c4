import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/**
 * Compiles the engine. To keep the module saves every worker the work, because V8 shares the code of equal
 * modules within a process, also the code that a worker has optimised.
 */
export const compileEngine = async (): Promise<WebAssembly.Module> => {
  const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(path))
}
