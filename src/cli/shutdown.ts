import type { Logger } from '../base/log.ts'

/** The maximum time from a stop request to the end of the process. */
const shutdownTimeoutMs = 10_000

/** Stops the process in order on the first signal and at once on the second. */
export const stopOnSignal = (stop: () => Promise<void>, log: Logger): void => {
  let isStopping = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), shutdownTimeoutMs).unref()
    stop().then(
      // A caller that stops for a reason, such as an engine that exited, has set the exit code.
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
