import pino from 'pino'

export type Logger = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

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
): pino.Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    destination,
  )
