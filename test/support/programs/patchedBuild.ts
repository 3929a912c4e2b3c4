import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface PatchedBuild {
  readonly mainFile: string
  remove(): void
}

export interface Patch {
  /** A name that distinguishes the copies of one process. */
  readonly name: string
  /** What is replaced, in each bundle that has it: those of the program and of its threads. */
  readonly pattern: RegExp
  readonly replacement: string
}

/** Creates a copy of the build with one change, for tests that must detect an error. */
export const createPatchedBuild = ({ name, pattern, replacement }: Patch): PatchedBuild => {
  const folder = join(root, 'build', `${name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  const bundles = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(folder, file))
    .filter((file) => pattern.test(readFileSync(file, 'utf8')))
  if (bundles.length === 0) throw new Error(`${pattern} is in no bundle: mend this control`)
  for (const path of bundles)
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(pattern, () => replacement),
    )
  return {
    mainFile: join(folder, 'dist', 'cli', 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
