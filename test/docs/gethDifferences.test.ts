import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allKnownDifferences } from '../geth/answers/differences.ts'

test('the page lists where answers are not geth’s, and why, as the suite knows it', () => {
  const page = readFileSync(new URL('../../docs/coming-from.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split("### Answers that differ from geth's")
  const [table = ''] = section.split('\n## ')
  const rows = table.split('\n').filter((line) => /^\| (?!where|---)/.test(line))
  expect(rows).toEqual(allKnownDifferences.map(({ name, reason }) => `| ${name} | ${reason} |`))
})
