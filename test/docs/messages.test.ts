import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPage, root } from './markdown.ts'

/** The source of the program as one text, with values in messages, and strings that go on in a next line, as `…`. */
const source = [
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join('src', name)),
  // What is said before the program is loaded.
  'scripts/bundle.ts',
]
  .map((name) => readFileSync(join(root, name), 'utf8'))
  .join('\n')

/** The messages of the tables: what stands in backquotes at the beginning of a row. */
const messages = [...readPage('docs/troubleshooting.md').matchAll(/^\| `([^`]+)`/gm)].map(
  ([, message]) => message as string,
)

/** The parts of a message that are the same each time. Shorter ones are found anywhere. */
const fixedParts = (message: string): readonly string[] =>
  message
    .split(/…|--…|"…"/)
    .map((part) => part.trim())
    .filter((part) => part.length >= 6)

test.each(messages)('the program says: %s', (message) => {
  expect(fixedParts(message).filter((part) => !source.includes(part))).toEqual([])
})

test('there are messages, each with words to look for', () => {
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter((message) => fixedParts(message).length === 0)).toEqual([])
})
