import { existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { open } from 'lmdb'

/**
 * A sign of life that processes of other containers see. Process ids say nothing there, and Node has no flock; but LMDB
 * holds a lock of the kernel on its lock file while it is open, and empties the list of readers when it opens a file that
 * nobody else has open. So a reader in that list is alive, or was until just now, whatever namespace it runs in.
 */

const openSign = (path: string) =>
  open({ path, noSubdir: true, mapSize: 2 ** 20, maxReaders: 64, maxDbs: 1, pageSize: 4096, noSync: true })

const hasReader = (list: string): boolean => /^\s*\d+\s/m.test(list)

/** Shows that this process is alive, until the returned function is called or the process ends. */
export const showLife = (path: string): (() => void) => {
  const sign = openSign(path)
  const reading = sign.useReadTransaction()
  sign.get('', { transaction: reading })
  return () => {
    reading.done()
    void sign.close()
    removeSign(path)
  }
}

/** Returns whether the process that shows its life at a path is alive. */
export const isShown = (path: string): boolean => {
  if (!existsSync(path)) return false
  const sign = openSign(path)
  try {
    return hasReader(sign.readerList())
  } finally {
    void sign.close()
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
