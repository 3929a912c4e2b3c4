import pino from 'pino'
import { printableJson } from '../encoding/printable.ts'

/** Writes a line: a message, and members beside it. */
interface Write {
  (message: string): void
  (members: object, message?: string): void
}

export interface Logger {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  readonly fatal: Write
  /** Returns the logger of a component, such as `engine/solo`, whose level can be set separately. */
  component(name: string): Logger
}

/** The root logger, which controls the levels. */
export interface RootLogger extends Logger {
  /** Sets the least severe level that is logged, by its name. */
  setLevel(level: string): void
  /** Sets the level from 0 (nothing) to 5 (everything). */
  setVerbosity(verbosity: number): void
  /** Sets the components that log more than the rest. If several patterns match a component, the last one applies. */
  setComponentLevels(levels: readonly ComponentLevel[]): void
}

export interface ComponentLevel {
  /** The name of a component; `*` stands for any text. */
  readonly pattern: string
  readonly verbosity: number
}

/** Returns the level of one of geth's verbosity numbers. */
const levelOf = (verbosity: number): string =>
  ['silent', 'error', 'warn', 'info', 'debug', 'trace'][verbosity] ?? 'trace'

/**
 * The members that are redacted wherever they appear in a log line, because they hold secrets. The parameters of calls
 * are never logged at all, because a passphrase is an ordinary string there.
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

/** Creates a logger of JSON lines to stderr. stdout is for the ready line and the output of commands. */
export const createLogger = (
  level: string,
  destination: { write(line: string): void } = pino.destination(2),
): RootLogger => {
  const root = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[redacted]' },
      // A terminal may show these lines: what others wrote is harmless in escapes, and the same for programs.
      hooks: { streamWrite: printableJson },
    },
    destination,
  )
  const components = new Map<string, pino.Logger>()
  let componentLevels: readonly ComponentLevel[] = []

  const setLevelOf = (name: string, logger: pino.Logger): void => {
    const matchingLevel = componentLevels.findLast(({ pattern }) => matches(pattern, name))
    const componentLevel = matchingLevel === undefined ? 'silent' : levelOf(matchingLevel.verbosity)
    logger.level = severity(componentLevel) < severity(root.level) ? componentLevel : root.level
  }
  const setAll = (): void => {
    for (const [name, logger] of components) setLevelOf(name, logger)
  }
  const control = {
    component: (name: string): Logger => {
      const logger = components.get(name) ?? root.child({ part: name })
      components.set(name, logger)
      setLevelOf(name, logger)
      return logger as unknown as Logger // a child of pino inherits the members of its parent, `component` too
    },
    setLevel: (level: string): void => {
      root.level = level
      setAll()
    },
    setVerbosity: (verbosity: number): void => {
      root.level = levelOf(verbosity)
      setAll()
    },
    setComponentLevels: (levels: readonly ComponentLevel[]): void => {
      componentLevels = levels
      setAll()
    },
  }
  return Object.assign(root, control)
}

/** Returns pino's number of a level; a more verbose level has a lower one. */
const severity = (level: string): number => pino.levels.values[level] ?? Number.POSITIVE_INFINITY

const matches = (pattern: string, name: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(name)
}
