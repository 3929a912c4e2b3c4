import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { errorCode } from '../../base/files/writeAll.ts'
import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import { type Finding, ok, problem } from './finding.ts'

export interface CheckedAddress {
  /** The setting that names it. */
  readonly setting: string
  readonly address: ListenAddress
}

/** Looks whether a node could listen. `isRunning` says that one runs on the home, so that it holds them itself. */
export const checkPorts = async (
  addresses: readonly CheckedAddress[],
  isRunning: boolean,
): Promise<readonly Finding[]> => Promise.all(addresses.map((checked) => checkPort(checked, isRunning)))

const checkPort = async ({ setting, address }: CheckedAddress, isRunning: boolean): Promise<Finding> => {
  const where = `${setting} ${formatAddress(address)}`
  if (address.port === 0) return ok('port', `${where}: a free port is picked`)
  const code = await listenError(address)
  if (code === undefined) return ok('port', `${where} is free`)
  if (code !== 'EADDRINUSE')
    return problem(
      'port',
      `${where}: ${code}`,
      code === 'EACCES' ? `choose a port above 1023 with --${setting}` : `choose another --${setting}`,
    )
  const holder = portHolder(address.port)
  const by = holder === undefined ? 'another process' : `${holder.name} (process ${holder.pid})`
  return isRunning
    ? ok('port', `${where} is held by ${by}, and a node runs on this home`)
    : problem('port', `${where} is held by ${by}`, `stop it, or choose another --${setting}`)
}

/** Returns the code of the error with which listening fails; undefined if it works. */
const listenError = async ({ host, port }: ListenAddress): Promise<string | undefined> => {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    return errorCode(error) ?? (error as Error).message
  }
  server.close()
  await once(server, 'close')
  return undefined
}

export interface PortHolder {
  readonly pid: number
  readonly name: string
}

/** Returns the process that listens on a TCP port; undefined where the system does not tell this user. */
export const portHolder = (port: number): PortHolder | undefined => {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => listeningSockets(path, port)))
  if (sockets.size === 0) return undefined
  for (const pid of foldersOf('/proc').filter((name) => /^\d+$/.test(name)))
    for (const file of foldersOf(`/proc/${pid}/fd`))
      if (sockets.has(linkOf(`/proc/${pid}/fd/${file}`)))
        return { pid: Number(pid), name: textOf(`/proc/${pid}/comm`).trim() }
  return undefined
}

/** The state of a listening socket in /proc/net/tcp. */
const listening = '0A'

/** Returns the names that the sockets of a port have among the open files of their process. */
const listeningSockets = (path: string, port: number): readonly string[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return textOf(path)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === listening)
    .map((fields) => `socket:[${fields[9]}]`)
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const foldersOf = (path: string): readonly string[] => {
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
