import { existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { open } from 'lmdb'
import { checkDataFile } from '../lmdb/file/check.ts'

/**
 * A sign of life that processes of other containers see. Process ids say nothing there, and Node has no flock; but LMDB
 * holds a lock of the kernel on its lock file while it is open, and empties the list of readers when it opens a file that
 * nobody else has open. So a reader in that list is alive, or was until just now, whatever namespace it runs in.
 */

const openSign = (path: string, readOnly: boolean) =>
  open({
    path,
    readOnly,
    noSubdir: true,
    mapSize: 2 ** 20,
    maxReaders: 64,
    maxDbs: 1,
    pageSize: 4096,
    noSync: true,
  })

const hasReader = (list: string): boolean => /^\s*\d+\s/m.test(list)

/** Shows that this process is alive, until the returned function is called or the process ends. */
export const showLife = (path: string): (() => void) => {
  const sign = openSign(path, false)
  const reading = sign.useReadTransaction()
  sign.get('', { transaction: reading })
  return () => {
    reading.done()
    void sign.close()
    removeSign(path)
  }
}

/**
 * Returns whether the process that shows its life at a path is alive, or whether that cannot be told. A file that is not
 * whole is invalid: it was written before this boot, and LMDB would end the process that opens it.
 */
export const isShown = (path: string): boolean => {
  if (!existsSync(path) || !existsSync(`${path}-lock`)) return false
  try {
    if (checkDataFile(path).problems.length > 0) return false
    const sign = openSign(path, true)
    try {
      return hasReader(sign.readerList())
    } finally {
      void sign.close()
    }
  } catch {
    return true
  }
}

export const removeSign = (path: string): void => {
  for (const suffix of ['', '-lock']) rmSync(`${path}${suffix}`, { force: true })
}

const read = (get: () => string): string => {
  try {
    return get().trim()
  } catch {
    return ''
  }
}

/** Returns where process ids mean what they mean here: this boot of the computer, and this namespace of ids. */
export const placeOfIds = (): string => {
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  return boot === '' ? hostname() : `${boot} ${read(() => readlinkSync('/proc/self/ns/pid'))}`
}

/** Returns whether a place is of another boot, so that none of its processes is left. */
export const isOfAnotherBoot = (place: string): boolean => {
  const [boot, here] = [place, placeOfIds()].map((text) => /^(\S+) /.exec(text)?.[1])
  return boot !== undefined && here !== undefined && boot !== here
}
