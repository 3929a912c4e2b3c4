import { group } from '../../format/numbers.ts'

/** What figures are counted in. */
export interface Units {
  readonly unit: string
  /** What those are shown in that would be next to nothing in the other, and how many of it make one of that. */
  readonly small?: { readonly unit: string; readonly per: number }
}

/** The least that is drawn in the unit of a chart which has a smaller one: less would be a row of zeros. */
const leastOfUnit = 0.001

/** Figures that fit a unit: that of the chart, or the small one for what would be next to nothing in it. */
const unitFor = ({ unit, small }: Units, most: number): { readonly unit: string; readonly per: number } =>
  small !== undefined && most < leastOfUnit ? small : { unit, per: 1 }

const formatFigure = (value: number): string =>
  group(Number(value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4)))

/** A figure with its unit. What is too small for digits is not nothing. */
export const showFigure = (units: Units, value: number): string => {
  const { unit, per } = unitFor(units, value)
  const text = formatFigure(value * per)
  return `${text === '0' && value > 0 ? '<0.0001' : text} ${unit}`.trim()
}

/** The ticks of an axis, in the unit that the highest of them has. */
export const showTicks = (units: Units, ticks: readonly number[]): string[] => {
  const { unit, per } = unitFor(units, ticks.at(-1) ?? 0)
  return ticks.map((tick) => `${formatFigure(tick * per)} ${unit}`.trim())
}
