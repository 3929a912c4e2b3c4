import { closeSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openOwnFile } from './ownFile.ts'
import { errorCode, writeAll } from './writeAll.ts'

/** File systems of the kernel that show its own data as files; some calls there block or succeed without effect. */
const virtualTypes: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x1cd1, 'devpts'],
])

/** Returns the name of the kernel's own file system on which a path is, or would be; undefined if it is on a real one. */
export const findVirtualFileSystem = (path: string): string | undefined => {
  if (process.platform !== 'linux') return undefined
  for (let at = path; ; at = dirname(at)) {
    try {
      return virtualTypes.get(statfsSync(at).type)
    } catch (error) {
      const code = errorCode(error)
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(at) === at) return undefined
    }
  }
}

/** Returns the free space of the disk of a folder in bytes, as far as this user may use it. */
export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** More than most blocks take. */
export const probedBytes = 2 * 2 ** 20

const remove = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // A folder of that name, or a disk that is read-only by now: that says nothing of room.
  }
}

/**
 * Returns whether a folder's disk takes two megabytes, by writing them: what is free says nothing where a quota holds. Errors
 * of another kind are not its business.
 */
export const hasRoom = (folder: string): boolean => {
  const path = join(folder, 'room.probe')
  try {
    const file = openOwnFile(path, 'replace')
    try {
      writeAll(file, Buffer.alloc(probedBytes))
    } finally {
      // Network file systems report a full disk only here.
      closeSync(file)
    }
    return true
  } catch (error) {
    return !['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '')
  } finally {
    remove(path)
  }
}
