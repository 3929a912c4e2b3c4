import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pages, readPage, root } from './markdown.ts'
import { findPhrases, proseOfPage, proseOfSource } from './prose.ts'
import { proseRules } from './proseRules.ts'

const below = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .sort()

/** Whether a file has comments and messages. The strings of `guestSource.ts` are a program. */
const isSource = (path: string): boolean =>
  /\.(?:tsx?|mjs|js)$/.test(path) && !/\/(?:gen|assembly|node_modules|dist)\/|guestSource\.ts$/.test(path)

/** Holds recorded figures, and the names of their rows. */
const recordedPage = 'docs/performance.md'

const texts: ReadonlyMap<string, string> = new Map([
  ...['src', 'explorer', 'scripts', 'bench']
    .flatMap(below)
    .filter(isSource)
    .map((path) => [path, proseOfSource(readFileSync(join(root, path), 'utf8'))] as const),
  ...[...pages, ...below('scripts').filter((path) => path.endsWith('.md'))]
    .filter((path) => path !== recordedPage)
    .map((path) => [path, proseOfPage(readPage(path))] as const),
])

test.each(proseRules)('plain English: $pattern', ({ pattern, instead }) => {
  const places = [...texts].flatMap(([path, text]) =>
    findPhrases(text, pattern).map(({ line, phrase }) => `${path}:${line}: "${phrase}"`),
  )
  expect(places, `instead: ${instead}`).toEqual([])
})

describe('the rules', () => {
  test('see all texts', () => {
    const seen = [...texts.keys()]
    for (const path of ['src/index.ts', 'explorer/app.tsx', 'scripts/build.mjs', 'bench/suites.ts'])
      expect(seen).toContain(path)
    for (const path of ['README.md', 'docs/settings.md', 'deploy/README.md', 'scripts/patches/README.md'])
      expect(seen).toContain(path)
    expect(seen.filter((path) => path.includes('/gen/'))).toEqual([])
  })

  test.each(proseRules)('find what they are for: $pattern', ({ pattern, found, fine = [] }) => {
    for (const text of found) expect(findPhrases(text, pattern), text).toHaveLength(1)
    for (const text of fine) expect(findPhrases(text, pattern), text).toEqual([])
  })
})

describe('a phrase is found', () => {
  const mend = /\bmend it\b/
  const lines = (prose: string): readonly number[] => findPhrases(prose, mend).map(({ line }) => line)

  test('in comments, over their lines too', () => {
    expect(lines(proseOfSource('const a = 1 // Mend it.\n'))).toEqual([1])
    expect(lines(proseOfSource('a()\n  // An operator can mend\n  // it.\n'))).toEqual([2])
    expect(lines(proseOfSource('/**\n * Operators mend\n * it.\n */\nconst a = 1\n'))).toEqual([2])
  })

  test('in messages, over the parts of one too', () => {
    expect(lines(proseOfSource(`throw new Error('mend it')`))).toEqual([1])
    expect(lines(proseOfSource('log(`the file: mend it`)'))).toEqual([1])
    expect(lines(proseOfSource(`log(\n  'please mend ' +\n    'it soon',\n)`))).toEqual([2])
    expect(lines(proseOfSource(`log('please mend ', 'it')`))).toEqual([])
  })

  test('in pages, but not in their code', () => {
    expect(lines(proseOfPage('# A page\n\nPlease mend\nit.\n'))).toEqual([3])
    expect(lines(proseOfPage('> Please mend\n> it.\n'))).toEqual([1])
    expect(lines(proseOfPage('`mend it`\n\n```sh\nmend it\n```\n'))).toEqual([])
  })

  test('not in code, and not in names', () => {
    expect(lines(proseOfSource('const it = 1\nif (mend) it()\nmend\nit\n'))).toEqual([])
    const refuse = /\brefused\b/
    expect(findPhrases(proseOfSource(`refused.refused = { kind: 'refused' }`), refuse)).toEqual([])
    expect(findPhrases(proseOfSource(`fail('it was refused')`), refuse)).toHaveLength(1)
  })

  test('not in what is marked as a text that clients match', () => {
    expect(lines(proseOfSource(`// not ours: geth's text\nthrow new Error('mend it')\n`))).toEqual([])
    expect(lines(proseOfPage('<!-- not ours: anvil prints it -->\nMend it.\n'))).toEqual([])
    expect(lines(proseOfSource(`// not ours:\nthrow new Error('mend it')\n`))).toEqual([2])
  })
})
