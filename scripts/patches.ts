import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The change of one file of a package, from scripts/patches. */
export interface Patch {
  readonly package: string
  readonly version: string
  /** The file's path inside the package. */
  readonly file: string
  /** The lines that go, with those around them, and what takes their place. */
  readonly from: string
  readonly to: string
}

const folder = fileURLToPath(new URL('./patches/', import.meta.url))

/** Reads a unified diff of one place of one file, below a line `Package: name@version` and the reason. */
export const parsePatch = (text: string): Patch => {
  const [, name = '', version = ''] = /^Package: (.+)@(.+)$/m.exec(text) ?? []
  const [, file = ''] = /^--- a\/(.+)$/m.exec(text) ?? []
  const [, ...hunks] = text.split(/^@@ .* @@$\n/m)
  if (name === '' || file === '' || hunks.length !== 1) throw new Error(`not a patch of one place: ${text}`)
  const lines = hunks[0]?.trimEnd().split('\n') ?? []
  const side = (dropped: '+' | '-'): string =>
    lines
      .filter((line) => !line.startsWith(dropped))
      .map((line) => line.slice(1))
      .join('\n')
  return { package: name, version, file, from: side('+'), to: side('-') }
}

export const readPatches = (): Patch[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .map((name) => parsePatch(readFileSync(join(folder, name), 'utf8')))

/** Applies a patch to the text of its file. Throws if the place is not there once: the package has changed. */
export const applyPatch = ({ package: name, version, file, from, to }: Patch, text: string): string => {
  if (text.split(from).length !== 2)
    throw new Error(`the patch of ${name}@${version} does not fit ${file}: fix it in scripts/patches`)
  return text.replace(from, () => to)
}
