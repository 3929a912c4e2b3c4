import type { Results } from '../../bench/support/report/results.ts'
import { formatNumber } from '../../bench/support/report/text.ts'

/** A table of figures on a page: the comment before it names the suite, the part and the figure, its header the sides. */
export interface FigureTable {
  readonly suite: string
  readonly part: string
  readonly figure: string
  readonly sides: readonly string[]
  readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[]
}

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The tables of a page that have a comment such as `<!-- figures: answers/rpc rate -->`. */
export const figureTablesOf = (page: string): readonly FigureTable[] =>
  [...page.matchAll(/^<!-- figures: (\w+)\/([\w ]+) (\w+) -->\n((?:\|.*\n?)+)/gm)].map(
    ([, suite = '', part = '', figure = '', table = '']) => {
      const [header = '', , ...rows] = table.trim().split('\n')
      return {
        ...{ suite, part, figure },
        sides: cellsOf(header).slice(1),
        rows: rows.map(cellsOf).map(([name = '', ...cells]) => ({ name, cells })),
      }
    },
  )

/** What was measured, as the page of the bench writes it; undefined where nothing was, or something else was done. */
export const measuredFigure = (
  { measurements, differences }: Results,
  { suite, part, figure }: Pick<FigureTable, 'suite' | 'part' | 'figure'>,
  name: string,
  side: string,
): string | undefined => {
  const [, row = name, connections = '0'] = /^(.*), (\d+) connections?$/.exec(name) ?? []
  const isVoid = differences.some(
    (other) => other.isVoid && other.part === part && other.row === row && other.side === side,
  )
  const found = measurements.find(
    (measured) =>
      measured.suite === suite &&
      measured.part === part &&
      measured.row === row &&
      measured.side === side &&
      measured.connections === Number(connections),
  )
  const value = (found?.figures as Record<string, number | undefined> | undefined)?.[figure]
  return value === undefined || isVoid ? undefined : formatNumber(value)
}
