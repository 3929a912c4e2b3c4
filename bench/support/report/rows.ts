import { keyOf, type Measurement } from '../run/measurement.ts'
import { type FigureName, figureKinds } from '../run/part.ts'

/** A row with all of its sides, ours first. */
export interface ReportRow {
  readonly key: string
  readonly suite: string
  readonly part: string
  readonly name: string
  readonly by: FigureName
  readonly cells: readonly Measurement[]
}

const order = { ours: 0, peer: 1, floor: 2 } as const

/** Returns the rows of measurements in the order in which they were made. */
export const groupRows = (measurements: readonly Measurement[]): ReportRow[] => {
  const groups = new Map<string, Measurement[]>()
  for (const one of measurements) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups].map(([key, cells]) => {
    const { suite, part, row, connections, by } = cells[0] as Measurement // a group has one at least
    const name = connections === 0 ? row : `${row}, ${connections} connection${connections === 1 ? '' : 's'}`
    return { key, suite, part, name, by, cells: [...cells].sort((a, b) => order[a.kind] - order[b.kind]) }
  })
}

/** Returns the better of two values of a figure. */
export const isBetter = (figure: FigureName, one: number, other: number): boolean =>
  figureKinds[figure].better === 'more' ? one > other : one < other

/** Returns the best value that a peer has; undefined if none does what was asked. */
export const bestOfPeers = (row: ReportRow, figure: FigureName): number | undefined =>
  row.cells
    .filter(({ kind, isVoid }) => kind === 'peer' && isVoid !== true)
    .flatMap(({ figures }) => figures[figure] ?? [])
    .reduce<number | undefined>(
      (best, value) => (best === undefined || isBetter(figure, value, best) ? value : best),
      undefined,
    )

/** Returns ours divided by the best peer's, as the targets are written: rates want more, times and CPU less. */
export const ratioToBest = (row: ReportRow, cell: Measurement, figure: FigureName): number | undefined => {
  const best = bestOfPeers(row, figure)
  const own = cell.figures[figure]
  return cell.kind !== 'ours' || best === undefined || own === undefined || best === 0
    ? undefined
    : own / best
}
