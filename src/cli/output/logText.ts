import type { Paint } from './paint.ts'

/** The parts of a line of the log that have a place of their own. */
interface LogLine {
  readonly level: string
  readonly time: string
  readonly msg?: string
  readonly part?: string
  /** Whether CometBFT wrote it. */
  readonly engine?: boolean
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
  /** Whether the addresses are about to be told elsewhere. */
  readonly hidesAddresses: () => boolean
}

/** Returns a destination of a logger that turns lines of JSON into lines for people. */
export const createLogText = (
  write: (text: string) => void,
  { paint, isVerbose, hidesAddresses }: LogTextOptions,
): { write(line: string): void } => ({
  write: (line) => {
    const parsed = JSON.parse(line) as LogLine
    const isQuiet = !isVerbose && quietLevels.includes(parsed.level)
    const isAddress = parsed.msg === 'listening' && hidesAddresses()
    if (!(isQuiet && (parsed.engine === true || isAddress))) write(render(parsed, paint))
  },
})

const render = (line: LogLine, paint: Paint): string => {
  const { level, time, msg = '', part, engine: _engine, err, ...members } = line
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
const renderCause = (stack: string): string =>
  stack
    .split('\n')
    .map((line) => `\n  ${printable(line)}`)
    .join('')

/** Returns text in one line, without what would control the terminal. */
const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '·')
