import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorCode } from '../../base/files/writeAll.ts'
import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import { type Finding, ok, problem } from './finding.ts'
import { portHolder } from './sockets.ts'

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

/** Looks whether a node could listen. `isRunning` says that one runs on the home, so that it holds them itself. */
export const checkPorts = async (
  addresses: readonly CheckedAddress[],
  isRunning: boolean,
): Promise<readonly Finding[]> => Promise.all(addresses.map((checked) => checkPort(checked, isRunning)))

const checkPort = async (
  { setting, another = `--${setting}`, address }: CheckedAddress,
  isRunning: boolean,
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
  return isRunning
    ? ok('port', `${where} is held by ${by}, and a node runs on this home`)
    : problem('port', `${where} is held by ${by}`, `stop it, or choose another ${another}`)
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
