import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPage, root } from './markdown.ts'

/** The index of decisions names every decision once, by its title, and nothing else. */

const folder = 'docs/decisions'

interface Row {
  readonly number: string
  readonly title: string
  readonly file: string
  readonly date: string
  readonly state: string
  readonly sentence: string
}

const rowsOf = (index: string): readonly Row[] =>
  [...index.matchAll(/^\| (\d{4}) \| \[(.*)\]\((\S+)\) \| (.*?) \| (.*?) \| (.*) \|$/gm)].map(
    ([, number = '', title = '', file = '', date = '', state = '', sentence = '']) => ({
      number,
      title,
      file,
      date,
      state,
      sentence,
    }),
  )

const files = readdirSync(join(root, folder)).filter((name) => name !== 'README.md')
const index = readPage(`${folder}/README.md`)
const rows = rowsOf(index)

/** The first line of a decision. Some have their number in it, which the index has in a column. */
const titleOf = (file: string): string | undefined =>
  /^# (?:\d+[.:] )?(.+)$/m.exec(readPage(`${folder}/${file}`))?.[1]

/** A link whose text is the number of its file. */
const link = (group: string): string => String.raw`\[(?<${group}>\d{4})\]\(\k<${group}>-[\w-]+\.md\)`
const stateForm = new RegExp(
  `^(?:in force|withdrawn|merged into ${link('into')}|(?:in force; extended|(?:in part )?replaced) by ${link('by')}(?:, \\[\\d{4}\\]\\(\\S+\\))*)$`,
)

/** The numbers that the index says are not used: `0048, 0050 to 0054`. */
const unusedIn = (text: string): readonly string[] => {
  const [, list = ''] = /number that is missing \(([^)]*)\)/.exec(text) ?? []
  return list.split(/,\s+/).flatMap((part) => {
    const [first = 0, last = first] = part.split(/\s+to\s+/).map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => String(first + at).padStart(4, '0'))
  })
}

/** Files and folders of the tree that a decision names in backquotes, and that are not there. */
const missingPaths = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|sol|proto|md)|(?:src|test|scripts|docs|explorer)\/[\w./-]+)`/g,
    ),
  ]
    .map(([, path = '']) => path.replace(/\/$/, ''))
    .filter((path) => !tree.some((entry) => entry === path || entry.endsWith(`/${path}`)))

/** Every file and folder that a decision may name. */
const tree: readonly string[] = [
  'src',
  'explorer',
  'test',
  'scripts',
  'contracts',
  'proto',
  'bench',
  'deploy',
  'docs',
  'examples',
].flatMap((top) => [
  top,
  ...readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((name) => `${top}/${name}`),
])

test.each(files)('the files that %s names are there', (file) => {
  expect(missingPaths(readPage(`${folder}/${file}`))).toEqual([])
})

test('the check of names sees a file that is gone', () => {
  expect(missingPaths('`rpc/method.ts` and `src/rpc/gone.ts`, `node/producing/askedGas.ts`')).toEqual([
    'src/rpc/gone.ts',
    'node/producing/askedGas.ts',
  ])
})

describe('the index of decisions', () => {
  test('has every file of the folder, and no other, in order', () => {
    expect(rows.map(({ file }) => file)).toEqual([...files].sort())
  })

  test.each(rows)('$number has the title, a date, a state and a sentence', (row) => {
    expect(row.file.slice(0, 4)).toBe(row.number)
    expect(row.title).toBe(titleOf(row.file))
    expect(row.date).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(row.state).toMatch(stateForm)
    expect(row.sentence).toMatch(/^[^.].*\.$/)
  })

  test('explains every number that is missing', () => {
    const numbers = new Set(rows.map(({ number }) => number))
    const last = Number(rows.at(-1)?.number)
    const missing = Array.from({ length: last }, (_, at) => String(at + 1).padStart(4, '0')).filter(
      (number) => !numbers.has(number),
    )
    expect(unusedIn(index)).toEqual(missing)
  })

  test('names at most ten that a newcomer must read', () => {
    const [, list = ''] = /^## What a newcomer must read\n(.*?)^## /ms.exec(index) ?? []
    const named = list.match(/^\d+\. \[\d{4}\]/gm) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(named.length).toBeLessThanOrEqual(10)
  })

  test('the check sees a row that lacks something', () => {
    expect(rowsOf('| 0001 | [a](0001-a.md) | 2026-01-01 | in force | B. |')).toHaveLength(1)
    expect(rowsOf('| 0001 | [a](0001-a.md) | 2026-01-01 | in force |')).toHaveLength(0)
    expect('in force; extended by [0002](0001-a.md)').not.toMatch(stateForm)
  })
})
