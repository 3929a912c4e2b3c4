import type { Logger } from '../base/log.ts'

/** Nothing may keep the process alive longer than this after it was asked to stop. */
const shutdownTimeoutMs = 10_000

/** Ends the process in order on the first signal, at once on the second. */
export const stopOnSignal = (stop: () => Promise<void>, log: Logger): void => {
  let isStopping = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), shutdownTimeoutMs).unref()
    stop().then(
      // Who stops it for a reason, an engine that is gone, has set the code.
      () => process.exit(process.exitCode ?? 0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
