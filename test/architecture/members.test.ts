import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** TypeScript's keyword hides a member from the compiler alone; a constructor has no other way to be hidden. */
const keyword = /^\s*private (?!constructor\b)/m

test('members of a class that are its own are #private', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => keyword.test(readFileSync(`${src}${file}`, 'utf8')))
  expect(found).toEqual([])
})
