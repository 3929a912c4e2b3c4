import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/**
 * The compiled engine. Whoever holds it spares every worker the work: V8 shares the code of equal modules within a
 * process, and what has been compiled or optimised in one worker is there for the next.
 */
export const compileEngine = async (): Promise<WebAssembly.Module> => {
  const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(path))
}
