import type { Logger } from '../../base/logging/log.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** A log line that is passed to another thread. */
export interface LogRecord {
  readonly level: LogLevel
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Creates the logger of a thread without a log, which passes its lines to `send`. */
export const createThreadLog = (send: (record: LogRecord) => void): Logger => {
  const at =
    (level: LogLevel) =>
    (first: unknown, second?: unknown): void => {
      const isText = typeof first === 'string'
      const fields = isText || first === undefined ? {} : { ...(first as object) }
      send({ level, fields, text: String((isText ? first : second) ?? '') })
    }
  const log: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    component: () => log,
  }
  return log
}

export const writeRecord = (log: Logger, { level, fields, text }: LogRecord): void => log[level](fields, text)
