import { rmSync } from 'node:fs'

/** What ends a command from outside. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs work. If the process is told to end meanwhile, it removes what is temporary first. */
export const removeIfInterrupted = async <T>(
  paths: readonly string[],
  work: () => Promise<T>,
): Promise<T> => {
  const onSignal = (signal: NodeJS.Signals): void => {
    stop()
    for (const path of paths) rmSync(path, { recursive: true, force: true })
    // Now it ends as it would have without us.
    process.kill(process.pid, signal)
  }
  const stop = (): void => {
    for (const signal of endingSignals) process.off(signal, onSignal)
  }
  for (const signal of endingSignals) process.on(signal, onSignal)
  try {
    return await work()
  } finally {
    stop()
  }
}
