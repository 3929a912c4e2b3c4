import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Reader, startTestServer } from '../testServer.ts'
import { openConnections } from './gauges.ts'

/** A test server in a separate process, for tests that measure memory or descriptors or may end the process. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly http: string
  /** Returns the number of open connections. */
  connections(): Promise<number>
  /** Returns the bytes in use after a garbage collection. */
  memory(): Promise<number>
  stop(): Promise<void>
}

const self = fileURLToPath(import.meta.url)

/** Starts a test server. `maxDescriptors` is the limit of open files of its process. */
export const startServerProcess = async (
  flags: readonly string[],
  { maxDescriptors, reader = 'us' }: { maxDescriptors?: number; reader?: Reader } = {},
): Promise<ServerProcess> => {
  const command = [process.execPath, '--expose-gc', '--import', 'tsx', self, JSON.stringify(flags), reader]
  const limit = maxDescriptors === undefined ? '' : `ulimit -n ${maxDescriptors} && `
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const query = <T>(name: string): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once('message', (reply) => resolve(reply as T))
      exited.then(
        ([code, signal]) => reject(new Error(`the server process ended: ${code ?? signal}`)),
        reject,
      )
      child.send(name)
    })
  const http = await query<string>('address')
  return {
    child,
    http,
    connections: () => query('connections'),
    memory: () => query('memory'),
    stop: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

const memoryInUse = (): number => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const serve = async (flags: readonly string[], reader: Reader): Promise<void> => {
  const server = await startTestServer(flags, { reader })
  const queries: Record<string, () => unknown> = {
    address: () => server.http,
    connections: () => openConnections(server.registry),
    memory: memoryInUse,
  }
  process.on('disconnect', () => void server.close())
  process.on('message', async (name: string) => process.send?.(await queries[name]?.()))
}

if (process.argv[1] === self)
  await serve(JSON.parse(process.argv[2] ?? '[]') as string[], process.argv[3] as Reader)
