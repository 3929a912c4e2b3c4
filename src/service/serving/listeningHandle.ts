import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { getSystemErrorMap as systemErrors } from 'node:util'
import { badConfig, explainListenError } from '../../base/exit.ts'
import { triedNodeMajors } from '../../base/nodeVersion.ts'
import type { ListenAddress } from '../../config/kinds/addresses.ts'

/** A socket that is bound to an address and on which this process accepts nothing. */
export interface ListeningHandle {
  /** What is handed to the processes that accept. */
  readonly handle: object
  readonly address: ListenAddress
  close(): void
}

/** The part of Node's handle of a TCP socket that is used. */
interface TcpHandle {
  getsockname(out: { address?: string; port?: number }): number
  close(): void
}

/**
 * Node's own way to a socket that is bound and not listened on. Its cluster module hands such ones to its workers; there is
 * no documented function for it.
 */
const { _createServerHandle: createServerHandle } = net as unknown as {
  readonly _createServerHandle?: (host: string, port: number, addressType: 4 | 6) => TcpHandle | number
}

/** Binds a socket to an address. Throws the error that an operator would get of a server that cannot listen there. */
export const bindAddress = async (
  { host, port }: ListenAddress,
  setting: string,
): Promise<ListeningHandle> => {
  if (createServerHandle === undefined)
    throw badConfig(
      `json-rpc.workers: Node.js ${process.versions.node} cannot share a socket between processes: set it to 0, or use Node.js ${triedNodeMajors.at(-1)}`,
    )
  const explain = (error: NodeJS.ErrnoException): Error =>
    explainListenError(error, `${host}:${port}`, setting)
  const fail = (code: number): Error => {
    const [name, message] = systemErrors().get(code) ?? ['UNKNOWN', 'unknown error']
    return explain(Object.assign(new Error(`listen ${name}: ${message} ${host}:${port}`), { code: name }))
  }
  const { address, family } = await lookup(host).catch((error: NodeJS.ErrnoException) => {
    throw explain(error)
  })
  const handle = createServerHandle(address, port, family === 6 ? 6 : 4)
  if (typeof handle === 'number') throw fail(handle)
  const bound: { address?: string; port?: number } = {}
  // A port that is taken is reported only now.
  const problem = handle.getsockname(bound)
  if (problem !== 0) {
    handle.close()
    throw fail(problem)
  }
  return {
    handle,
    address: { host: bound.address ?? host, port: bound.port ?? port },
    close: () => handle.close(),
  }
}
