import { readFileSync } from 'node:fs'
import { wasmUrl } from '../../threads/builtFiles.ts'
import type { EvmWasm } from '../wasmFiles.ts'

/** Returns the bytes of a module. */
export const readWasm = (name: EvmWasm): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(wasmUrl(name)))

/** Has the bytes of a module ready for `readWasm`: here they are in files. */
export const loadWasm = async (_: EvmWasm): Promise<void> => {}
