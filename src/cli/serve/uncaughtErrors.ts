import { ExitError } from '../../base/exit.ts'
import type { Logger } from '../../base/logging/log.ts'
import { countUncaughtError } from '../../base/metrics.ts'

/** The number of uncaught errors that are logged in one period; the others are only counted. */
const maxLogged = 20
const periodMs = 60_000

/**
 * Keeps a process that serves alive when something is thrown that nothing caught: it is logged and counted. This is the
 * last net below those of the transports, and the program's alone: a library does not decide about the process of others.
 * The threads that write are not under it: an error there ends them, and what follows from that is decided by their owner.
 */
export const surviveUncaughtErrors = (log: Logger, onFatal: (error: ExitError) => void): void => {
  let periodStart = performance.now()
  let logged = 0
  const mayLog = (): boolean => {
    const now = performance.now()
    if (now - periodStart > periodMs) {
      periodStart = now
      logged = 0
    }
    return logged++ < maxLogged
  }
  const survive = (kind: string) => (error: unknown) => {
    // A deliberate end stays one.
    if (error instanceof ExitError) return onFatal(error)
    try {
      countUncaughtError()
      if (mayLog()) log.error({ kind, err: error }, 'an error was caught by nothing; the node goes on')
    } catch {
      // Whatever is wrong with the log must not end the process in the handler that keeps it alive.
    }
  }
  process.on('uncaughtException', survive('exception'))
  process.on('unhandledRejection', survive('rejection'))
}
