import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The file of the built command line: the one that BENCH_PROGRAM names (an earlier build), else as package.json has it. */
export const ownProgram = (): string => {
  const named = process.env.BENCH_PROGRAM
  if (named !== undefined) return named
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly bin: { readonly perihelion: string }
  }
  return join(root, bin.perihelion)
}

/** The file of the built library, as package.json has it. */
export const ownLibrary = (): string => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: { readonly '.': { readonly default: string } }
  }
  return join(root, exports['.'].default)
}
