import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  /** The path inside `dist`. */
  readonly file: string
  readonly pattern: RegExp
  readonly replacement: string
}

/** Creates a copy of the build with one change, for tests that must detect an error. */
export const createPatchedBuild = ({ name, file, pattern, replacement }: Patch): PatchedBuild => {
  const folder = join(root, 'build', `${name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  const path = join(folder, 'dist', file)
  const text = readFileSync(path, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} looks different: mend this control`)
  writeFileSync(
    path,
    text.replace(pattern, () => replacement),
  )
  return {
    mainFile: join(folder, 'dist', 'cli', 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
