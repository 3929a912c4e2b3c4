import { isBusy, keyOf, type Measurement } from '../run/measurement.ts'
import { type FigureName, figureKinds } from '../run/part.ts'
import type { Results } from './results.ts'
import { isBetter } from './rows.ts'

export interface Change {
  readonly key: string
  readonly figure: FigureName
  readonly before: number
  readonly after: number
  /** The new value divided by the old one. */
  readonly times: number
  readonly isSlower: boolean
  /** Whether neighbours used the machine in one of the runs. */
  readonly isDoubtful: boolean
}

/** Below this a difference is the machine's. */
const tie = 1.15

/** CPU first: it is the figure that survives a busy machine. */
const figureOf = ({ figures, by }: Measurement): FigureName =>
  (['cpuMicros', 'cpuMs'] as const).find((name) => figures[name] !== undefined) ?? by

const ours = ({ measurements }: Results): readonly Measurement[] =>
  measurements.filter(({ kind, isVoid }) => kind === 'ours' && isVoid !== true)

const keyWithSide = (one: Measurement): string => `${keyOf(one)} / ${one.side}`

/** Returns what changed of ours between two runs by more than noise, the worst first. */
export const compareResults = (before: Results, after: Results): Change[] => {
  const old = new Map(ours(before).map((one) => [keyWithSide(one), one]))
  return ours(after)
    .flatMap((one) => {
      const other = old.get(keyWithSide(one))
      const figure = figureOf(one)
      const [a, b] = [other?.figures[figure], one.figures[figure]]
      if (other === undefined || a === undefined || b === undefined || a <= 0 || b <= 0) return []
      const times = b / a
      if (Math.max(times, 1 / times) < tie) return []
      const isSlower = isBetter(figure, a, b)
      const isDoubtful = isBusy(one) || isBusy(other)
      return [{ key: keyWithSide(one), figure, before: a, after: b, times, isSlower, isDoubtful }]
    })
    .sort((a, b) => weight(b) - weight(a))
}

/** How much worse it got; below one where it got better. */
const weight = ({ isSlower, times }: Change): number => {
  const most = Math.max(times, 1 / times)
  return isSlower ? most : 1 / most
}

/** Returns how many rows of a run the other does not have. */
const countMissing = (one: Results, other: Results): number => {
  const known = new Set(ours(other).map(keyWithSide))
  return ours(one).filter((measurement) => !known.has(keyWithSide(measurement))).length
}

/** Returns a comparison as text; rows that one of the runs does not have are counted. */
export const toComparison = (before: Results, after: Results): string => {
  const changes = compareResults(before, after)
  const line = ({ key, figure, before: a, after: b, isSlower, isDoubtful, times }: Change): string =>
    `${isSlower ? 'slower' : 'faster'}  ${Math.max(times, 1 / times)
      .toFixed(2)
      .padStart(6)} ×  ${key}: ` +
    `${a.toPrecision(4)} → ${b.toPrecision(4)} ${figureKinds[figure].label}${isDoubtful ? '  * a neighbour' : ''}`
  const machines = JSON.stringify(before.machine) === JSON.stringify(after.machine)
  return [
    `${before.date} (${before.commit}) → ${after.date} (${after.commit})`,
    ...(machines ? [] : ['the machines differ: only ratios to peers can be compared']),
    ...(before.isQuick === after.isQuick
      ? []
      : ['one of them is a quick run: its rows are not those of a full one']),
    ...changes.map(line),
    `${changes.filter(({ isSlower }) => isSlower).length} slower, ` +
      `${changes.filter(({ isSlower }) => !isSlower).length} faster, by more than ${Math.round((tie - 1) * 100)} %; ` +
      `${countMissing(before, after)} rows are in the first alone, ${countMissing(after, before)} in the second alone`,
  ].join('\n')
}
