import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeChecks, nodeChecks } from '../../src/service/start/startChecks.ts'
import { readPage, root } from './markdown.ts'

const folder = join(root, 'src', 'service', 'doctor')
const sources = [
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name)),
  join(root, 'src', 'cli', 'commands', 'doctor.ts'),
]

/** What `doctor` names in its own findings, and the checks that it shares with a start. */
const checks = new Set([
  ...sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\b(?:ok|warning|problem)\(\s*'([^']+)'/g)].map(
      ([, name]) => name,
    ),
  ),
  ...[...homeChecks, ...nodeChecks].map(({ name }) => name),
])

test('the table of the page has each check of doctor, and no other', () => {
  const [, section = ''] = readPage('docs/terminal.md').split('\n## doctor\n')
  const [own = ''] = section.split('\n## ')
  const rows = [...own.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell)
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(named.toSorted()).toEqual([...checks].toSorted())
})
