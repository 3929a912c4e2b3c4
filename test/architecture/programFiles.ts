import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The TypeScript files of a folder, as paths from the root; tests and AssemblyScript are not among them. */
export const programFiles = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts') && !/\bassembly\//.test(path))
    .map((path) => join(folder, path))
    .sort()

/** What `#platform/` means in Node.js, as package.json has it. */
const platform = 'src/base/platform/node'

/** The files of this tree that a source imports, types included, as paths from the root. */
export const importsIn = (path: string, source: string): readonly string[] =>
  [...source.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\()'(\.[^']+|#platform\/[^']+)'/g)].map(
    ([, specifier = '']) =>
      specifier.startsWith('#')
        ? `${specifier.replace('#platform', platform)}.ts`
        : join(dirname(path), specifier),
  )

export const importsOf = (path: string): readonly string[] =>
  importsIn(path, readFileSync(join(root, path), 'utf8'))
