import type { Logger } from '../../base/logging/log.ts'

/** The maximum time from a stop request to the end of the process. */
const shutdownTimeoutMs = 10_000

/**
 * Stops this process when the one that started it with a channel (`child_process.fork`) is gone, as a signal would: at
 * once while it is starting, in order afterwards. It is called before anything is loaded, and a parent that was gone even
 * before is not waited for: the event has passed.
 */
export const stopWithParent = (): void => {
  if (process.connected === false) process.kill(process.pid, 'SIGTERM')
  if (!process.connected) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // The listener alone would keep the process running.
  process.channel?.unref()
}

/** Stops the process in order on the first signal and at once on the second; `onExit` removes what must not stay. */
export const stopOnSignal = (stop: () => Promise<void>, log: Logger, onExit: () => void = () => {}): void => {
  let isStopping = false
  process.on('exit', onExit)
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error({ milliseconds: shutdownTimeoutMs }, 'stopping takes too long: ended at once')
      process.exit(process.exitCode ?? 1)
    }, shutdownTimeoutMs).unref()
    stop().then(
      () => {
        log.info('stopped')
        // A caller that stops for a reason, such as an engine that exited, has set the exit code.
        process.exit(process.exitCode ?? 0)
      },
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(process.exitCode ?? 1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
