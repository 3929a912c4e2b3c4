import { readFile } from 'node:fs/promises'
import { lazy } from '../base/lazy.ts'
import { wasmUrl } from '../base/threads/builtFiles.ts'

/** Both builds of the interpreter, compiled, which can be posted to workers. */
export interface EvmModules {
  readonly fast: WebAssembly.Module
  readonly traced: WebAssembly.Module
}

/** The longest delay of a timer. */
const longTime = 2 ** 31 - 1

const compile = async (name: 'machine' | 'machineTraced'): Promise<WebAssembly.Module> => {
  // The threads that compile do not keep the process alive, and at the start of a node nothing else may.
  const alive = setTimeout(() => {}, longTime)
  try {
    return await WebAssembly.compile(await readFile(wasmUrl(name)))
  } finally {
    clearTimeout(alive)
  }
}

/**
 * Returns the modules, which are compiled once in each thread: what is optimized while one node runs serves the next one
 * too.
 */
export const loadEvmModules = lazy(async (): Promise<EvmModules> => {
  const [fast, traced] = await Promise.all([compile('machine'), compile('machineTraced')])
  return { fast, traced }
})
