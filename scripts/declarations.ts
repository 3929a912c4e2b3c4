// Removes the declarations that nobody can reach from those of the library: nine in ten are of the program's inside.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const types = fileURLToPath(new URL('../dist/types', import.meta.url))

/** Names what `imports` of package.json chooses by its path: that table names sources, which the package does not have. */
const nameByPath = (file: string): void => {
  const text = readFileSync(file, 'utf8')
  const folder = relative(dirname(file), join(types, 'base', 'platform', 'node')).replaceAll('\\', '/')
  const named = text.replace(/(['"])#platform\/([^'"]+)\1/g, `'${folder}/$2.ts'`)
  if (named !== text) writeFileSync(file, named)
}

/** Returns the files that a declaration names. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)\.[jt]s['"]/g)].map(([, path = '']) =>
    resolve(dirname(file), `${path}.d.ts`),
  )

const reached = new Set<string>()
const reach = (file: string): void => {
  if (reached.has(file)) return
  if (!existsSync(file)) throw new Error(`${file} is named by a declaration and is not there`)
  reached.add(file)
  nameByPath(file)
  for (const next of importsOf(file)) reach(next)
}

const prune = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) prune(path)
    else if (!reached.has(path)) rmSync(path)
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

reach(join(types, 'index.d.ts'))
reach(join(types, 'provider', 'index.d.ts'))
prune(types)
