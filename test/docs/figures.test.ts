import { expect, test } from 'vitest'
import { readResults, resultsFile } from '../../bench/support/report/results.ts'
import { figureTablesOf, measuredFigure } from './figures.ts'
import { pages, readPage } from './markdown.ts'

/** Pages with figures of the bench, each of which names the file that they are from. */
const withFigures = pages.filter((page) => figureTablesOf(readPage(page)).length > 0)

test.each(withFigures)('the figures of %s are what was measured', (page) => {
  const text = readPage(page)
  const [, date = ''] = /bench\/results\/(\d{4}-\d\d-\d\d)\.json/.exec(text) ?? []
  const results = readResults(resultsFile(date))
  for (const table of figureTablesOf(text)) {
    const measured = table.rows.map(({ name }) => ({
      name,
      cells: table.sides.map((side) => measuredFigure(results, table, name, side) ?? '–'),
    }))
    expect(table.rows).toEqual(measured)
    expect(measured.every(({ cells }) => cells.some((cell) => cell !== '–'))).toBe(true)
  }
})

test('there is such a page', () => {
  expect(withFigures).toContain('docs/comparison.md')
})
