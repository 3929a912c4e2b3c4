import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { explainListenError } from '../../base/exit.ts'

/**
 * Where ports are looked for: below those that operating systems give to outgoing connections. A node that keeps its
 * port for years is away for seconds while it restarts, and a port of theirs may be anybody's by then.
 */
const [lowest, highest] = [10_000, 32_767]
const tries = 1000

const hold = async (port: number): Promise<Server> => {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const release = async (servers: readonly Server[]): Promise<void> => {
  for (const server of servers) {
    server.close()
    await once(server, 'close')
  }
}

/** Returns ports in a row; throws if one is taken. */
export const portsFrom = async (first: number, count: number): Promise<readonly number[]> => {
  const ports = Array.from({ length: count }, (_, index) => first + index)
  for (const port of ports) {
    try {
      await release([await hold(port)])
    } catch (error) {
      throw explainListenError(error as NodeJS.ErrnoException, `127.0.0.1:${port}`)
    }
  }
  return ports
}

/** Returns free ports. All are held at once before any is released, so that none is returned twice. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const held = new Map<number, Server>()
  for (let left = tries + count; held.size < count; left--) {
    const port = randomInt(lowest, highest + 1)
    try {
      held.set(port, await hold(port))
    } catch (error) {
      if (left === 0) throw explainListenError(error as NodeJS.ErrnoException, `127.0.0.1:${port}`)
    }
  }
  await release([...held.values()])
  return [...held.keys()]
}
