import { formatSpan } from '../../base/encoding/figures.ts'
import { printable } from '../../base/encoding/printable.ts'
import { columnsOf } from './textMode.ts'

export interface ProgressOptions {
  /** What is being done, such as `checking blocks`. */
  readonly label: string
  /** What is counted, such as `blocks`; undefined if only the share is of interest, as with bytes. */
  readonly unit?: string
}

export interface ProgressOutput {
  /** Whether a line can be written over. */
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Tells how far a long job is: with its rate and the time left, on one line of a terminal, or in a line now and then. */
export interface Progress {
  /** `note` tells what else is known, such as a rate. */
  step(done: number, total: number, note?: string): void
  /** Removes the line. */
  stop(): void
}

const terminalIntervalMs = 100
const lineIntervalMs = 10_000
export const createProgress = (
  { label, unit }: ProgressOptions,
  output: ProgressOutput = process.stderr,
  now: () => number = () => performance.now(),
): Progress => {
  const isTerminal = output.isTTY === true
  const startedAt = now()
  let first: number | undefined
  // A job that ends at once says nothing.
  let writtenAt = startedAt
  let isDrawn = false
  return {
    step: (done, total, note) => {
      first ??= done
      const at = now()
      if (at - writtenAt < (isTerminal ? terminalIntervalMs : lineIntervalMs)) return
      writtenAt = at
      const text = printable(
        `${label}: ${describe({ done, total, unit, note, since: done - first, seconds: (at - startedAt) / 1000 })}`,
      )
      if (!isTerminal) return void output.write(`${text}\n`)
      isDrawn = true
      // A line that wraps could not be written over.
      output.write(`\r\x1b[K${text.slice(0, columnsOf(output)() - 1)}`)
    },
    stop: () => {
      if (isDrawn) output.write('\r\x1b[K')
      isDrawn = false
    },
  }
}

interface Measured {
  readonly done: number
  readonly total: number
  readonly unit: string | undefined
  readonly note: string | undefined
  /** What was done since the first step, in how many seconds. */
  readonly since: number
  readonly seconds: number
}

const describe = ({ done, total, unit, note, since, seconds }: Measured): string => {
  const percent = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 100
  const parts = [unit === undefined ? `${percent}%` : `${percent}%, ${done} of ${total} ${unit}`]
  const rate = since / seconds
  if (unit !== undefined && rate > 0)
    parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} ${unit}/s`)
  if (note !== undefined) parts.push(note)
  if (rate > 0 && total > done) parts.push(`${formatSpan(Math.ceil((total - done) / rate))} left`)
  return parts.join(', ')
}
