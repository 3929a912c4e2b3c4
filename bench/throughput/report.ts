import type { Figure } from '../support/transactions/measure.ts'

export interface PeerResult {
  readonly name: string
  readonly version: string
  /** The best round of each row: what else the machine does can only make a round slower. */
  readonly figures: readonly Figure[]
}

const own = 'perihelion'

const rowName = ({ kind, batch, transactions }: Figure): string =>
  `${transactions} × ${kind}, ${batch === 1 ? 'one by one' : `batches of ${batch}`}`

const cell = (figure: Figure): string => {
  const { perSecond, acceptedPerSecond, cpuMicroseconds, blocks, done, transactions, refused } = figure
  const whole = done === transactions && refused === 0 && perSecond > 0
  if (!whole) return `${done} of ${transactions} done, ${refused} refused, not all in time`
  const cpu = cpuMicroseconds === undefined ? '' : `, ${cpuMicroseconds.toFixed(0)} µs CPU`
  return `${perSecond.toFixed(0)} tx/s (taken ${acceptedPerSecond.toFixed(0)}/s${cpu}, ${blocks} blocks)`
}

/** One round as a line. */
export const toText = (figure: Figure): string => `${rowName(figure)}: ${cell(figure)}`

/** The best of a program's variants in this row. */
const bestOf = (results: readonly PeerResult[], program: string, row: number): number =>
  Math.max(
    0,
    ...results.flatMap(({ name, figures }) =>
      name === program || name.startsWith(`${program} `) ? [figures[row]?.perSecond ?? 0] : [],
    ),
  )

const ratio = (results: readonly PeerResult[], program: string, row: number): string => {
  const peer = bestOf(results, program, row)
  const ours = bestOf(results, own, row)
  return peer === 0 || ours === 0 ? '-' : `${(ours / peer).toFixed(2)} ×`
}

/** A table in Markdown: a row for each workload, a column for each peer, and how we stand to the best of each. */
export const toMarkdown = (results: readonly PeerResult[]): string => {
  const others = ['geth', 'anvil'].filter((program) => results.some(({ name }) => name.startsWith(program)))
  const head = ['workload', ...results.map(({ name }) => name), ...others.map((name) => `to ${name}`)]
  const rows = (results[0]?.figures ?? []).map((figure, row) => [
    rowName(figure),
    ...results.map(({ figures }) => (figures[row] ? cell(figures[row]) : '-')),
    ...others.map((program) => ratio(results, program, row)),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
