import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const watcher = fileURLToPath(new URL('gcWatch.cjs', import.meta.url))

/** Longer than the interval at which the watcher writes. */
export const collectorSettleMs = 300

/** Tells for how long the collector of one of our nodes has stopped its main thread. */
export interface CollectorWatch {
  readonly nodeArgs: readonly string[]
  /** Starts the node with the environment that its watcher needs. */
  during<T>(start: () => Promise<T>): Promise<T>
  /** The milliseconds so far. */
  gcMs(): number
  close(): void
}

export const watchCollector = (): CollectorWatch => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-gc-'))
  const file = join(folder, 'milliseconds')
  return {
    nodeArgs: ['--require', watcher],
    during: (start) => {
      process.env.BENCH_GC_FILE = file
      return start().finally(() => {
        delete process.env.BENCH_GC_FILE
      })
    },
    gcMs: () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0),
    close: () => rmSync(folder, { recursive: true }),
  }
}
