import { readFile } from 'node:fs/promises'
import { lazy } from '../../base/async/lazy.ts'
import { wasmUrl } from '../../base/threads/builtFiles.ts'

/** Both builds of the interpreter, compiled, which can be posted to workers. */
export interface EvmModules {
  readonly fast: WebAssembly.Module
  readonly traced: WebAssembly.Module
}

const compile = async (name: 'machine' | 'machineTraced'): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(wasmUrl(name)))

/**
 * Returns the modules, which are compiled once in each thread: what is optimized while one node runs serves the next one
 * too.
 */
export const loadEvmModules = lazy(async (): Promise<EvmModules> => {
  const [fast, traced] = await Promise.all([compile('machine'), compile('machineTraced')])
  return { fast, traced }
})
