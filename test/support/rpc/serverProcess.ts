import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startTestServer } from '../testServer.ts'
import { openConnections } from './gauges.ts'

/** A test server in a process of its own: for what counts memory or descriptors, or may end the process. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly http: string
  /** How many are open. */
  connections(): Promise<number>
  /** Bytes in use after a garbage collection. */
  memory(): Promise<number>
  stop(): Promise<void>
}

const self = fileURLToPath(import.meta.url)

/** `maxDescriptors` is the process's own limit of open files. */
export const startServerProcess = async (
  flags: readonly string[],
  { maxDescriptors }: { maxDescriptors?: number } = {},
): Promise<ServerProcess> => {
  const command = [process.execPath, '--expose-gc', '--import', 'tsx', self, JSON.stringify(flags)]
  const limit = maxDescriptors === undefined ? '' : `ulimit -n ${maxDescriptors} && `
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const ask = <T>(question: string): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once('message', (answer) => resolve(answer as T))
      exited.then(
        ([code, signal]) => reject(new Error(`the server process ended: ${code ?? signal}`)),
        reject,
      )
      child.send(question)
    })
  const http = await ask<string>('address')
  return {
    child,
    http,
    connections: () => ask('connections'),
    memory: () => ask('memory'),
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

const serve = async (flags: readonly string[]): Promise<void> => {
  const server = await startTestServer(flags)
  const answers: Record<string, () => unknown> = {
    address: () => server.http,
    connections: () => openConnections(server.registry),
    memory: memoryInUse,
  }
  process.on('disconnect', () => void server.close())
  process.on('message', async (question: string) => process.send?.(await answers[question]?.()))
}

if (process.argv[1] === self) await serve(JSON.parse(process.argv[2] ?? '[]') as string[])
