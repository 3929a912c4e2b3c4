import { readFile } from 'node:fs/promises'

/** Both builds of the interpreter, compiled; can be posted to workers and used there as they are. */
export interface MachineModules {
  readonly fast: WebAssembly.Module
  readonly traced: WebAssembly.Module
}

// The same path from src/evm and from dist/evm.
const compile = async (name: string): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(new URL(`../../dist/evm/${name}.wasm`, import.meta.url)))

export const loadModules = async (): Promise<MachineModules> => {
  const [fast, traced] = await Promise.all([compile('machine'), compile('machineTraced')])
  return { fast, traced }
}
