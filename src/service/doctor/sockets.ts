import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Who listens where, as Linux tells it in /proc. Elsewhere, and of other users' processes, nothing is known. */

export interface PortHolder {
  readonly pid: number
  readonly name: string
}

/** Returns the process that listens on a TCP port; undefined where the system does not tell this user. */
export const portHolder = (port: number): PortHolder | undefined => {
  const sockets = new Set(
    listeningSockets()
      .filter((socket) => socket.port === port)
      .map(({ name }) => name),
  )
  if (sockets.size === 0) return undefined
  for (const pid of namesIn('/proc').filter((name) => /^\d+$/.test(name)))
    if (openFiles(pid).some((file) => sockets.has(file)))
      return { pid: Number(pid), name: textOf(`/proc/${pid}/comm`).trim() }
  return undefined
}

/** Returns the TCP ports on which a process listens. */
export const portsOf = (pid: number): readonly number[] => {
  const files = new Set(openFiles(String(pid)))
  return listeningSockets()
    .filter(({ name }) => files.has(name))
    .map(({ port }) => port)
}

/** Whether a process is another one, or was started by it, however far up. */
export const isPartOf = (pid: number, ancestor: number): boolean => {
  for (let at = pid; at > 1; at = parentOf(at)) if (at === ancestor) return true
  return false
}

/** What follows the name of the process, which may contain anything, in /proc/PID/stat: its state and its parent. */
const parentOf = (pid: number): number =>
  Number(/^.*\) \S (\d+)/s.exec(textOf(`/proc/${pid}/stat`))?.[1] ?? 0)

/** The state of a listening socket in /proc/net/tcp. */
const listening = '0A'

/** A socket by the name that it has among the open files of its process. */
interface ListeningSocket {
  readonly name: string
  readonly port: number
}

const listeningSockets = (): readonly ListeningSocket[] =>
  ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((path) => textOf(path).split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === listening)
    .map((fields) => ({
      name: `socket:[${fields[9]}]`,
      port: Number.parseInt(fields[1]?.split(':').at(-1) ?? '', 16),
    }))

const openFiles = (pid: string): readonly string[] =>
  namesIn(`/proc/${pid}/fd`).map((file) => linkOf(`/proc/${pid}/fd/${file}`))

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
