import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** CPU time by thread in milliseconds. Threads without JavaScript of their own are those of V8 and of libuv. */
type ThreadTimes = ReadonlyMap<string, number>

/** Tells the threads of one of our nodes apart. */
export interface ThreadNames {
  readonly nodeArgs: readonly string[]
  readTimes(pid: number): ThreadTimes
  close(): void
}

/** The time on a processor, in nanoseconds (Documentation/scheduler/sched-stats). */
const cpuMsOf = (pid: number, thread: string): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0 // it ended meanwhile
  }
}

/** The threads without JavaScript. */
export const unnamedThreads = 'V8 and disk'

export const createThreadNames = (): ThreadNames => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-threads-'))
  const preload = new URL('threadNames.mjs', import.meta.url)
  preload.searchParams.set('folder', folder)
  return {
    nodeArgs: ['--import', preload.href],
    readTimes: (pid) => {
      const names = new Map(
        readdirSync(folder).map((thread) => [thread, readFileSync(join(folder, thread), 'utf8')]),
      )
      const times = new Map<string, number>()
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const name = names.get(thread) ?? unnamedThreads
        times.set(name, (times.get(name) ?? 0) + cpuMsOf(pid, thread))
      }
      return times
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Adds the times since another look to a sum. */
export const addTimes = (sum: Map<string, number>, before: ThreadTimes, after: ThreadTimes): void => {
  for (const [name, ms] of after) sum.set(name, (sum.get(name) ?? 0) + ms - (before.get(name) ?? 0))
}
