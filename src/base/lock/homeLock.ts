import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { badFile, ExitError, homeInUse } from '../exit.ts'
import { errorCode } from '../files/writeAll.ts'
import { isOfAnotherBoot, isShown, placeOfIds, removeSign, showLife } from './lifeSign.ts'
import { acquireLock, type LockFiles, type LockHolder, readHolder } from './lockProtocol.ts'

/**
 * One process may use a home at a time. Node has no flock, so that the lock is a file that names its holder. The start
 * time beside the process id distinguishes a holder that was killed from another process with the same id. A holder of
 * another container is known by its sign of life alone.
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
    const where = isElsewhere(holder) ? elsewhereText : ''
    throw homeInUse(
      `the ${kind} ${folder} is in use by process ${holder.pid}${where}: stop it, or choose another ${flag}`,
    )
  } catch (error) {
    if (error instanceof ExitError) throw error
    throw badFile(`the ${kind} ${folder} cannot be used: ${(error as Error).message}`)
  }
}

/** The process that holds the lock of a folder. */
export interface HomeHolder {
  readonly pid: number
  /** Whether it runs in another container, where its id is that of another process than here. */
  readonly isElsewhere: boolean
}

/** Returns the process that holds the lock of a home; undefined if nobody does. The home is not changed. */
export const homeHolder = (home: string): HomeHolder | undefined => {
  const path = lockPath(home)
  const holder = readHolder(files, { path, isAlive: (each) => isAlive(path, each) })
  return holder && { pid: holder.pid, isElsewhere: isElsewhere(holder) }
}

const elsewhereText = ' of another container'

/** Names a process for people. */
export const describeHolder = ({ pid, isElsewhere: elsewhere }: HomeHolder): string =>
  `process ${pid}${elsewhere ? elsewhereText : ''}`

const lockPath = (folder: string): string => join(folder, 'perihelion.lock')
const signPath = (path: string, { nonce }: LockHolder): string => `${path}.${nonce}.alive`

const isAlive = (path: string, holder: LockHolder): boolean => {
  if (!isElsewhere(holder)) return isProcessAlive(holder)
  return !isOfAnotherBoot(holder.place ?? '') && isShown(signPath(path, holder))
}

/** Returns the function that gives the lock back, or who has it. */
const acquireFolder = (folder: string): (() => void) | LockHolder => {
  const path = lockPath(folder)
  const nonce = randomBytes(16).toString('hex')
  const holderOfThisProcess: LockHolder = {
    pid: process.pid,
    startedAt: processInfo(process.pid)?.startedAt,
    place: placeOfIds(),
    nonce,
  }
  const draft = `${path}.${nonce}`
  const dead: string[] = []
  const isHolding = (holder: LockHolder): boolean => {
    const isSo = isAlive(path, holder)
    if (!isSo) dead.push(signPath(path, holder))
    return isSo
  }
  let hideLife = (): void => {}
  let isHeld = false
  try {
    writeFileSync(draft, JSON.stringify(holderOfThisProcess), { mode: 0o600, flag: 'wx' })
    // Before the lock names this process, so that whoever reads its name finds its sign.
    hideLife = showLife(signPath(path, holderOfThisProcess))
    const holder = runGenerator(acquireLock(files, { path, draft, isAlive: isHolding }))
    if (holder !== undefined) return holder
    isHeld = true
    for (const sign of dead) removeSign(sign)
    return () => {
      rmSync(path, { force: true })
      hideLife()
    }
  } finally {
    rmSync(draft, { force: true })
    if (!isHeld) hideLife()
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

/** Returns whether the id of a holder says nothing here. */
const isElsewhere = ({ place }: LockHolder): boolean => place !== undefined && place !== placeOfIds()

const isProcessAlive = ({ pid, startedAt }: LockHolder): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // With EPERM the process exists and belongs to another user.
    if (errorCode(error) !== 'EPERM') return false
  }
  const found = processInfo(pid)
  return found?.startedAt === startedAt && found?.isOver !== true
}

/**
 * Returns fields of /proc/<pid>/stat: the start time in clock ticks since boot (22), and whether the process has ended and
 * only its parent has not asked for its exit code yet (3). The name before them may hold spaces and brackets.
 */
const processInfo = (
  pid: number,
): { readonly startedAt: string | undefined; readonly isOver: boolean } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { startedAt: fields[19], isOver: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return undefined
  }
}
