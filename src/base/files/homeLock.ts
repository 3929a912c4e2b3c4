import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { badFile, ExitError, homeInUse } from '../exit.ts'
import { acquireLock, type LockFiles, type LockHolder, readHolder } from './lockProtocol.ts'
import { errorCode } from './writeAll.ts'

/**
 * One process may use a home at a time. Node has no flock, so that the lock is a file that names its holder. The start
 * time beside the process id distinguishes a holder that was killed from another process with the same id.
 */

/** Locks the folder until the returned function is called or the process ends. */
export const lockHome = (home: string): (() => void) => lockFolder(home, { kind: 'home', flag: '--home' })

/** Locks a folder that only one process may write; `kind` and the flag that names another one are for the message. */
export const lockFolder = (
  folder: string,
  { kind, flag }: { readonly kind: string; readonly flag: string },
): (() => void) => {
  try {
    const holder = acquireFolder(folder)
    if (typeof holder === 'function') return holder
    throw homeInUse(
      `the ${kind} ${folder} is in use by process ${holder.pid}: stop it, or choose another ${flag}`,
    )
  } catch (error) {
    if (error instanceof ExitError) throw error
    throw badFile(`the ${kind} ${folder} cannot be used: ${(error as Error).message}`)
  }
}

/** Returns the process that holds the lock of a home; undefined if nobody does. Nothing is written. */
export const homeHolder = (home: string): LockHolder | undefined =>
  readHolder(files, { path: lockPath(home), isAlive })

const lockPath = (folder: string): string => join(folder, 'perihelion.lock')

/** Returns the function that gives the lock back, or who has it. */
const acquireFolder = (folder: string): (() => void) | LockHolder => {
  const path = lockPath(folder)
  const nonce = randomBytes(16).toString('hex')
  const holderOfThisProcess: LockHolder = {
    pid: process.pid,
    startedAt: processStartTime(process.pid),
    nonce,
  }
  const draft = `${path}.${nonce}`
  writeFileSync(draft, JSON.stringify(holderOfThisProcess), { mode: 0o600 })
  try {
    const holder = runGenerator(acquireLock(files, { path, draft, isAlive }))
    return holder ?? (() => rmSync(path, { force: true }))
  } finally {
    rmSync(draft, { force: true })
  }
}

const runGenerator = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const files: LockFiles = {
  // Creating a link is atomic, and fails if the name exists.
  link: (from, to) => {
    try {
      linkSync(from, to)
      return true
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false
      throw error
    }
  },
  // A pipe would be waited for, a device may have no end, and a link to nothing is there and cannot be read.
  read: (path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (!found.isFile()) throw new Error(`${path} is not a regular file: remove it`)
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  },
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
}

const isAlive = ({ pid, startedAt }: LockHolder): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // With EPERM the process exists and belongs to another user.
    if (errorCode(error) !== 'EPERM') return false
  }
  return processStartTime(pid) === startedAt
}

/** Returns field 22 of /proc/<pid>/stat, in clock ticks since boot. The name before it may hold spaces and brackets. */
const processStartTime = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
