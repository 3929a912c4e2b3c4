import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorCode } from '../../base/files/writeAll.ts'
import type { HomeHolder } from '../../base/lock/homeLock.ts'
import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import { type Finding, ok, problem } from './finding.ts'
import { isPartOf, portHolder, portsOf } from './sockets.ts'

export interface CheckedAddress {
  /** The setting that names it. */
  readonly setting: string
  /** How to name another one; a flag if missing. */
  readonly another?: string
  readonly address: ListenAddress
}

/** Where a node listens if it has that address. */
export type PossibleAddress = Omit<CheckedAddress, 'address'> & {
  readonly address: ListenAddress | undefined
}

/** Looks whether a node could listen. `node` is the process that runs on the home, which may hold them itself. */
export const checkPorts = async (
  addresses: readonly CheckedAddress[],
  node: HomeHolder | undefined,
): Promise<readonly Finding[]> => Promise.all(addresses.map((checked) => checkPort(checked, node)))

const checkPort = async (
  { setting, another = `--${setting}`, address }: CheckedAddress,
  node: HomeHolder | undefined,
): Promise<Finding> => {
  const where = `${setting} ${formatAddress(address)}`
  if (address.port === 0) return ok('port', `${where}: a free port is picked`)
  const code = await listenError(address)
  if (code === undefined) return ok('port', `${where} is free`)
  if (code !== 'EADDRINUSE')
    return problem(
      'port',
      `${where}: ${code}`,
      code === 'EACCES' ? `choose a port above 1023 with ${another}` : `choose another ${another}`,
    )
  const holder = portHolder(address.port)
  const by = holder === undefined ? 'another process' : `${holder.name} (process ${holder.pid})`
  // Of a node in another container, and where the system tells nothing of the node, it cannot be told.
  if (node && (node.isElsewhere || (holder === undefined && portsOf(node.pid).length === 0)))
    return ok('port', `${where} is held by ${by}, and a node runs on this home`)
  if (node && holder && isPartOf(holder.pid, node.pid))
    return ok('port', `${where} is held by ${by}, which is the node of this home`)
  const text = `${where} is held by ${by}${node ? ', which is not the node that runs on this home' : ''}`
  return problem('port', text, `stop it, or choose another ${another}`)
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
