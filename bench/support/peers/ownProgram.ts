import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The file of the built command line, as package.json has it. */
export const ownProgram = (): string => {
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
