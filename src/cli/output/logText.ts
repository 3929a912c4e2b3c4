import { formatSpan } from '../../base/encoding/figures.ts'
import { printable, printableLines } from '../../base/encoding/printable.ts'
import type { ProgressLine } from '../../base/logging/jobProgress.ts'
import { newHomeMessage } from '../../service/home/homeRecord.ts'
import type { Paint } from './paint.ts'

/** The parts of a line of the log that have a place of their own. */
interface LogLine {
  readonly level: string
  readonly time: string
  readonly msg?: string
  readonly part?: string
  /** Whether CometBFT wrote it. */
  readonly engine?: boolean
  readonly progress?: ProgressLine['progress']
  readonly err?: { readonly message?: string; readonly stack?: string }
  readonly [name: string]: unknown
}

const colours: Readonly<Record<string, Parameters<Paint>[0]>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
  info: 'dim',
}
const quietLevels = ['trace', 'debug', 'info']

export interface LogTextOptions {
  readonly paint: Paint
  /** Whether everything is shown: otherwise what CometBFT tells at the level info is left out, which is for programs. */
  readonly isVerbose: boolean
  /** Whether a greeting is about to tell the addresses, and that a dev chain is new. */
  readonly isToGreet: () => boolean
  /** Shows how far a job is on a line that is written over, and removes it (empty); undefined where there is none. */
  readonly setStatus?: ((text: string) => void) | undefined
}

/** Returns a destination of a logger that turns lines of JSON into lines for people. */
export const createLogText = (
  write: (text: string) => void,
  { paint, isVerbose, isToGreet, setStatus }: LogTextOptions,
): { write(line: string): void } => ({
  write: (line) => {
    const parsed = JSON.parse(line) as LogLine
    const isQuiet = !isVerbose && quietLevels.includes(parsed.level)
    const isNewDev = parsed.msg === newHomeMessage && parsed.genesis === 'dev'
    const isInGreeting = (parsed.msg === 'listening' || isNewDev) && isToGreet()
    if (isQuiet && (parsed.engine === true || isInGreeting)) return
    if (setStatus !== undefined && parsed.progress !== undefined) {
      setStatus(parsed.progress === 'running' ? renderProgress(parsed) : '')
      if (parsed.progress === 'running') return
    }
    write(render(parsed, paint))
  },
})

/** `doing: 45%, 123 of 300 blocks, 12 blocks/s, 20 s left` */
const renderProgress = (line: LogLine): string => {
  // The members of a line with this member are these.
  const { done, total, unit, perSecond, secondsLeft } = line as unknown as ProgressLine
  const percent = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 100
  const parts = [
    `${printable(line.msg ?? '')}: ${percent}%, ${done} of ${total} ${unit}`,
    ...(perSecond === undefined ? [] : [`${perSecond} ${unit}/s`]),
    ...(secondsLeft === undefined ? [] : [`${formatSpan(secondsLeft)} left`]),
  ]
  return parts.join(', ')
}

const render = (line: LogLine, paint: Paint): string => {
  if (line.progress === 'running') {
    const clock = new Date(line.time).toTimeString().slice(0, 8)
    return `${paint('dim', 'info ')}  ${paint('dim', clock)}  ${renderProgress(line)}\n`
  }
  const { level, time, msg = '', part, engine: _engine, progress: _progress, err, ...members } = line
  const colour = colours[level] ?? 'dim'
  const clock = new Date(time).toTimeString().slice(0, 8)
  const who = part === undefined ? '' : `${part}: `
  const facts = Object.entries(members)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
  const cause = err === undefined ? '' : renderCause(err.stack ?? err.message ?? JSON.stringify(err))
  const head = `${paint(colour, level.padEnd(5))}  ${paint('dim', clock)}  ${printable(who + msg)}`
  return `${head}${facts === '' ? '' : `  ${paint('dim', printable(facts))}`}${cause}\n`
}

/** Renders a stack in lines of its own. They are indented, so that none from the message of an error looks like one of the log. */
const renderCause = (stack: string): string => `\n  ${printableLines(stack)}`
