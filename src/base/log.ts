import pino from 'pino'

export interface Logger extends Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> {
  /** The same log for a part of the program, such as `engine/solo`; its level can be set apart. */
  component(name: string): Logger
}

/** The log as a whole, and how much goes to it. */
export interface RootLogger extends Logger {
  /** From 0, nothing, to 5, everything. */
  setVerbosity(verbosity: number): void
  /** Parts that log more than the rest; of several patterns that fit a part the last one counts. */
  setComponentLevels(levels: readonly ComponentLevel[]): void
}

export interface ComponentLevel {
  /** The name of a part; `*` stands for anything. */
  readonly pattern: string
  readonly verbosity: number
}

/** geth's numbers. */
const levelOf = (verbosity: number): string =>
  ['silent', 'error', 'warn', 'info', 'debug', 'trace'][verbosity] ?? 'trace'

/**
 * Members that hold secrets wherever they appear in a log line. Calls' parameters are never logged at all, since a
 * passphrase travels there as an ordinary string.
 */
const secretMembers = [
  'authorization',
  'password',
  'passphrase',
  'privateKey',
  'secret',
  'token',
  'mnemonic',
  'params',
]

const secretPaths = secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`])

/** JSON lines to stderr: stdout belongs to the ready line and to what commands print. */
export const createLogger = (
  level: string,
  destination: pino.DestinationStream = pino.destination(2),
): RootLogger => {
  const root = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    destination,
  )
  const parts = new Map<string, pino.Logger>()
  let partLevels: readonly ComponentLevel[] = []

  const setLevel = (name: string, part: pino.Logger): void => {
    const matchingLevel = partLevels.findLast(({ pattern }) => matches(pattern, name))
    const componentLevel = matchingLevel === undefined ? 'silent' : levelOf(matchingLevel.verbosity)
    part.level = severity(componentLevel) < severity(root.level) ? componentLevel : root.level
  }
  const setAll = (): void => {
    for (const [name, part] of parts) setLevel(name, part)
  }
  const control = {
    component: (name: string): Logger => {
      const known = parts.get(name) ?? root.child({ part: name })
      parts.set(name, known)
      setLevel(name, known)
      return known as unknown as Logger // pino's children have what their parent has, `component` too
    },
    setVerbosity: (verbosity: number): void => {
      root.level = levelOf(verbosity)
      setAll()
    },
    setComponentLevels: (levels: readonly ComponentLevel[]): void => {
      partLevels = levels
      setAll()
    },
  }
  return Object.assign(root, control)
}

/** pino's number; what is more verbose has a lower one. */
const severity = (level: string): number => pino.levels.values[level] ?? Number.POSITIVE_INFINITY

const matches = (pattern: string, name: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(name)
}
