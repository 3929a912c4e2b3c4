import { isBusy, type Measurement } from '../run/measurement.ts'
import { type FigureName, figureKinds } from '../run/part.ts'
import { groupRows, type ReportRow, ratioToBest } from './rows.ts'

/** Returns a number with as many digits as it is worth, with commas between thousands. */
export const formatNumber = (value: number): string => {
  if (!Number.isFinite(value)) return '-'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value === 0 ? '0' : Number(value.toPrecision(3)).toString()
}

const figureNames = Object.keys(figureKinds) as FigureName[]

/** The figures that a group of rows has, in their order. */
export const figuresOf = (rows: readonly ReportRow[]): FigureName[] =>
  figureNames.filter((name) =>
    rows.some(({ cells }) => cells.some(({ figures }) => figures[name] !== undefined)),
  )

/** Marks what is not to be taken at face value. */
export const remarkOf = (cell: Measurement): string =>
  [
    ...(isBusy(cell) ? [`* others used ${Math.round(cell.neighbours * 100)} % of the machine`] : []),
    ...(cell.attempts > 1 ? [`measured ${cell.attempts} times`] : []),
    ...(cell.isVoid === true ? ['it did something else: not compared'] : []),
    ...(cell.note === undefined ? [] : [cell.note]),
  ].join('; ')

/** Returns ratios of ours to the best peer for the figure of the row and for CPU. */
export const ratiosOf = (row: ReportRow, cell: Measurement): string =>
  [...new Set<FigureName>([row.by, 'cpuMicros', 'cpuMs'])]
    .flatMap((figure) => {
      const ratio = ratioToBest(row, cell, figure)
      return ratio === undefined ? [] : [`${formatNumber(ratio)} × ${figureKinds[figure].label}`]
    })
    .join(', ')

/** One measurement as a line, while the run goes on. */
export const toLine = (cell: Measurement): string => {
  const figures = figureNames.flatMap((name) => {
    const value = cell.figures[name]
    return value === undefined ? [] : [`${formatNumber(value)} ${figureKinds[name].label}`]
  })
  const width = cell.connections === 0 ? '' : ` (${cell.connections})`
  const remark = remarkOf(cell)
  return `${cell.row}${width}: ${cell.side}: ${figures.join(', ')}${remark === '' ? '' : `  [${remark}]`}`
}

const pad = (rows: readonly (readonly string[])[]): string[] => {
  const widths = rows.reduce<number[]>(
    (max, row) => row.map((cell, index) => Math.max(cell.length, max[index] ?? 0)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, index) => (index < 1 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** The whole report: a table for each part, with the ratio of ours to the best peer. */
export const toText = (measurements: readonly Measurement[]): string => {
  const rows = groupRows(measurements)
  const parts = [...new Set(rows.map(({ suite, part }) => `${suite} / ${part}`))]
  return parts
    .map((part) => {
      const own = rows.filter((row) => `${row.suite} / ${row.part}` === part)
      const names = figuresOf(own)
      const head = ['', ...names.map((name) => figureKinds[name].label), 'to the best peer', '']
      const lines = own.flatMap((row) => [
        [`${row.name} (${row.cells[0]?.unit ?? ''})`, ...names.map(() => ''), '', ''],
        ...row.cells.map((cell) => [
          `  ${cell.side}`,
          ...names.map((name) => {
            const value = cell.figures[name]
            return value === undefined ? '' : formatNumber(value)
          }),
          ratiosOf(row, cell),
          remarkOf(cell),
        ]),
      ])
      return [`${part}`, ...pad([head, ...lines])].join('\n')
    })
    .join('\n\n')
}
