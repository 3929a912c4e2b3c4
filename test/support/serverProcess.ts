import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openConnections } from './gauges.ts'
import { startTestServer } from './testServer.ts'

/** A test server in a process of its own: for what counts memory or descriptors, or may end the process. */
export interface ServerProcess {
  readonly child: ChildProcess
  readonly http: string
  stats(): Promise<ServerStats>
  stop(): Promise<void>
}

export interface ServerStats {
  readonly connections: number
  /** Bytes in use after a garbage collection. */
  readonly memory: number
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
  const { http } = await ask<{ http: string }>('address')
  return {
    child,
    http,
    stats: () => ask('stats'),
    stop: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

const serve = async (flags: readonly string[]): Promise<void> => {
  const server = await startTestServer(flags)
  process.on('disconnect', () => void server.close())
  process.on('message', async (question) => {
    if (question === 'address') return void process.send?.({ http: server.http })
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({ connections: await openConnections(server.registry), memory: heapUsed + external })
  })
}

if (process.argv[1] === self) await serve(JSON.parse(process.argv[2] ?? '[]') as string[])
