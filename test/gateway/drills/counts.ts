/** What is counted while something fails. */
export interface Counts {
  reads: number
  wrong: number
  refused: number
  /** Requests that one gateway could not answer, and that were made again at another one. */
  again: number
  sends: number
  /** Transactions that were not taken. */
  unsent: number
  /** Acknowledged transactions that are in no block at the end. */
  lost: number
  /** Transactions that the chain took more than once. */
  doubled: number
  notifications: number
  gaps: number
  /** Gaps behind a poll of a filter that got no answer, for which the client asks for the blocks themselves. */
  unanswered: number
}

export const noCounts: Counts = {
  reads: 0,
  wrong: 0,
  refused: 0,
  again: 0,
  sends: 0,
  unsent: 0,
  lost: 0,
  doubled: 0,
  notifications: 0,
  gaps: 0,
  unanswered: 0,
}

const names = Object.keys(noCounts) as (keyof Counts)[]

/** Returns what was counted since. */
export const since = (before: Counts, now: Counts): Counts =>
  Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as unknown as Counts

export const toTable = (rows: readonly (readonly [string, Counts])[]): string => {
  const texts = [
    ['drill', ...names],
    ...rows.map(([name, counts]) => [name, ...names.map((key) => String(counts[key]))]),
  ]
  const widths = ['', ...names].map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)))
  return texts
    .map((row) =>
      row
        .map((text, at) => (at === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[at] ?? 0)))
        .join('  '),
    )
    .join('\n')
}
