import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Lists the tests of a folder. There are none among the fixtures, which others may be fetching meanwhile. */
const findTests = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : findTests(path)
    return path.endsWith('.test.ts') ? [path] : []
  })

/** The files with tests that are marked as slow (test/support/slow.ts): the others need not be loaded to find none. */
export const findSlowFiles = (): string[] =>
  ['src', 'explorer', 'test']
    .flatMap(findTests)
    .filter((path) => !path.endsWith('.long.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes("support/slow.ts'"))
    .sort()
