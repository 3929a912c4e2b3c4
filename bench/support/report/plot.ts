import type { Measurement } from '../run/measurement.ts'
import { type FigureName, figureKinds } from '../run/part.ts'
import { isBetter, type ReportRow } from './rows.ts'

/** Colours that differ in lightness too. */
const colours: Readonly<Record<string, string>> = {
  perihelion: '#b3400f',
  anvil: '#3d6fb4',
  geth: '#57a05a',
  hardhat: '#c9a227',
  ganache: '#8c6bb1',
  evmd: '#5aa7a7',
}
const floorColour = '#9aa0a6'

const colourOf = ({ side, kind }: Measurement): string =>
  kind === 'floor' ? floorColour : (colours[side.split(/[ ,]/)[0] ?? ''] ?? '#666666')

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const width = 860
const labelWidth = 300
const valueWidth = 150
const barHeight = 13
const rowGap = 10
const headHeight = 46

const digits = (value: number): string => Number(value.toPrecision(3)).toString()

const short = (value: number): string => {
  if (value >= 1e6) return `${digits(value / 1e6)}M`
  return value >= 1e4 ? `${digits(value / 1e3)}k` : digits(value)
}

/** A power of ten at or below. */
const decadeBelow = (value: number): number => 10 ** Math.floor(Math.log10(value))

export interface PlotOptions {
  readonly title: string
  readonly figure: FigureName
}

interface Bar {
  readonly cell: Measurement
  readonly value: number
}

/**
 * Draws a bar for each side of each row, on a logarithmic scale: what is compared differs by factors. Returns undefined if
 * no row has the figure.
 */
export const drawPlot = (rows: readonly ReportRow[], { title, figure }: PlotOptions): string | undefined => {
  const groups = rows
    .map((row) => ({
      row,
      bars: row.cells.flatMap((cell): Bar[] => {
        const value = cell.figures[figure]
        return value === undefined || value <= 0 || cell.isVoid === true ? [] : [{ cell, value }]
      }),
    }))
    .filter(({ bars }) => bars.length > 0)
  if (groups.length === 0) return undefined
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value))
  const low = decadeBelow(Math.min(...values))
  const high = decadeBelow(Math.max(...values)) * 10
  const plotWidth = width - labelWidth - valueWidth
  const x = (value: number): number =>
    labelWidth + (plotWidth * Math.log10(value / low)) / Math.log10(high / low)
  const height = headHeight + groups.reduce((sum, { bars }) => sum + bars.length * barHeight + rowGap, 0) + 24
  const better = figureKinds[figure].better === 'more' ? 'longer is better' : 'shorter is better'
  const parts: string[] = [
    `<text x="12" y="20" font-size="15" font-weight="bold">${escapeText(title)}</text>`,
    `<text x="12" y="37" fill="#555">${figureKinds[figure].label}, logarithmic; ${better}</text>`,
  ]
  for (let tick = low; tick <= high * 1.001; tick *= 10)
    parts.push(
      `<line x1="${x(tick).toFixed(1)}" x2="${x(tick).toFixed(1)}" y1="${headHeight}" y2="${height - 20}" stroke="#ddd"/>`,
      `<text x="${x(tick).toFixed(1)}" y="${height - 6}" text-anchor="middle" fill="#555">${short(tick)}</text>`,
    )
  let y = headHeight + 4
  for (const { row, bars } of groups) {
    const middle = y + (bars.length * barHeight) / 2 + 4
    parts.push(
      `<text x="${labelWidth - 8}" y="${middle.toFixed(1)}" text-anchor="end">${escapeText(row.name)}</text>`,
    )
    // A floor is not a competitor.
    const best = bars
      .filter(({ cell }) => cell.kind !== 'floor')
      .reduce<Bar | undefined>(
        (one, bar) => (one === undefined || isBetter(figure, bar.value, one.value) ? bar : one),
        undefined,
      )
    for (const bar of bars) {
      const end = Math.max(x(bar.value), labelWidth + 1)
      const weight = bar === best ? ' font-weight="bold"' : ''
      parts.push(
        `<rect x="${labelWidth}" y="${y + 1}" width="${(end - labelWidth).toFixed(1)}" height="${barHeight - 2}" fill="${colourOf(bar.cell)}"/>`,
        `<text x="${(end + 4).toFixed(1)}" y="${y + barHeight - 3}" fill="#333"${weight}>${escapeText(bar.cell.side)} ${short(bar.value)}</text>`,
      )
      y += barHeight
    }
    y += rowGap
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="sans-serif" font-size="11">\n<title>${escapeText(title)}</title>\n<rect width="100%" height="100%" fill="white"/>\n${parts.join('\n')}\n</svg>\n`
  )
}
