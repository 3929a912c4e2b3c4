import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The files with tests that are marked as slow (test/support/slow.ts): the others need not be loaded to find none. */
export const findSlowFiles = (): string[] =>
  ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.long.test.ts'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes("support/slow.ts'"))
    .sort()
