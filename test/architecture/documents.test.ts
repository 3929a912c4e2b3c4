import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Paths in backquotes: those with a folder in them, below the root or below `src`. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:[\w.-]+\/)+[\w.*-]*)`/g)].map(([, path]) => path as string)

const isThere = (path: string): boolean =>
  [root, join(root, 'src')].some((folder) => existsSync(join(folder, path.replace(/\*+.*$/, ''))))

/** What is in backquotes with a slash and is not a path of the tree. */
const notPaths = /^(?:dist|build|data|engine\/data|config\/app\.toml|json-rpc|application|github\.com)\b|^@/

describe('documents name files and folders that are there', () => {
  test.each(['docs/architecture.md', 'docs/glossary.md', 'README.md'])('%s', (file) => {
    const text = readFileSync(join(root, file), 'utf8')
    // Folders of a folder are named by themselves in the rows of tables: `trie/` in that of `src/state`.
    const own = pathsIn(text).filter((path) => !notPaths.test(path) && /\/./.test(path))
    expect(own.filter((path) => !isThere(path))).toEqual([])
  })

  test('the check sees paths at all', () => {
    expect(pathsIn('`src/base/encoding/hex.ts` and `trie/`')).toEqual(['src/base/encoding/hex.ts', 'trie/'])
    expect(isThere('base/noSuchFile.ts')).toBe(false)
  })
})
