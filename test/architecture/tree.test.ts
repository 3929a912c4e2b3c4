import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './programFiles.ts'

/** What is built or installed, and is not part of the source. */
const made = new Set(['build', 'coverage', 'dist', 'node_modules'])

const foldersIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !made.has(entry.name))
    .map(({ name }) => join(folder, name))

/** Every folder at the top and every room of `src`, which stands for itself by its rooms and its entry. */
const folders = [
  ...foldersIn('.').filter((name) => name !== 'src'),
  ...foldersIn('src'),
  'src/index.ts',
].sort()

/** The first cells of the table of folders. */
const namesInTable = (text: string): readonly string[] => {
  const [, table = ''] = /^\| folder \|.*?\n(.*?)\n\n/ms.exec(text) ?? []
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name as string)
}

test('docs/architecture.md names every folder of the tree', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  expect([...namesInTable(page)].sort()).toEqual(folders)
})
