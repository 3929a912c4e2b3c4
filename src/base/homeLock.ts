import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExitError, exitCodes } from './exit.ts'

/**
 * One process a home. Node has no flock, so the lock is a file that names its holder; the start time beside the
 * process id tells a holder that was killed from a stranger that got its number.
 */

interface Holder {
  readonly pid: number
  /** The kernel's start time of the process, where it can be known. */
  readonly startedAt: string | undefined
}

/** Locks the folder until the returned function is called or the process is gone. */
export const lockHome = (home: string): (() => void) => {
  const path = join(home, 'perihelion.lock')
  const own = JSON.stringify({ pid: process.pid, startedAt: startTimeOf(process.pid) } satisfies Holder)
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, own, { mode: 0o600 })
  try {
    for (;;) {
      if (tryLink(draft, path)) return () => rmSync(path, { force: true })
      const holder = readHolder(path)
      if (holder !== undefined && isAlive(holder)) {
        const message = `the home ${home} is in use by process ${holder.pid}: stop it, or choose another --home`
        throw new ExitError(exitCodes.homeInUse, message)
      }
      removeStale(path, draft, holder)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A link appears whole or not at all, and only where nothing is. */
const tryLink = (from: string, to: string): boolean => {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes the file of a dead holder away; of two processes that do so at once, the later may find a new lock in its hand. */
const removeStale = (path: string, draft: string, stale: Holder | undefined): void => {
  const taken = `${draft}.stale`
  try {
    renameSync(path, taken)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  const holder = readHolder(taken)
  if (holder?.pid !== stale?.pid || holder?.startedAt !== stale?.startedAt) tryLink(taken, path)
  rmSync(taken, { force: true })
}

const readHolder = (path: string): Holder | undefined => {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder> | null
    const pid = holder?.pid ?? 0
    // 0 and below would name groups of processes.
    return Number.isSafeInteger(pid) && pid > 0 ? { pid, startedAt: holder?.startedAt } : undefined
  } catch {
    return undefined
  }
}

const isAlive = ({ pid, startedAt }: Holder): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return startTimeOf(pid) === startedAt
}

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot; the name before it may hold spaces and brackets. */
const startTimeOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
