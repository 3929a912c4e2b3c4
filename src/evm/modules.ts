import { readFile } from 'node:fs/promises'
import { wasmUrl } from '../base/threads/builtFiles.ts'

/** Both builds of the interpreter, compiled, which can be posted to workers. */
export interface EvmModules {
  readonly fast: WebAssembly.Module
  readonly traced: WebAssembly.Module
}

const compile = async (name: 'machine' | 'machineTraced'): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(wasmUrl(name)))

export const loadEvmModules = async (): Promise<EvmModules> => {
  const [fast, traced] = await Promise.all([compile('machine'), compile('machineTraced')])
  return { fast, traced }
}
