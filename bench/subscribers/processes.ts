import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Order } from './clients.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** With as many open files as the process is allowed to have at all. */
const spawnWide = (args: readonly string[], stdout: 'pipe' | 'inherit'): ChildProcess =>
  spawn('sh', ['-c', 'ulimit -n "$(ulimit -Hn)" && exec "$@"', 'sh', process.execPath, ...args], {
    stdio: ['ignore', stdout, 'ignore', 'ipc'],
  })

const ask = <T>(child: ChildProcess, question: string | Order): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = (code: number | null): void => reject(new Error(`a process ended: ${code}`))
    child.once('exit', end)
    child.once('message', (answer) => {
      child.off('exit', end)
      resolve(answer as T)
    })
    child.send(question)
  })

export interface ServerReport {
  readonly commits: readonly (readonly [number: number, at: number])[]
  readonly stallMs: { readonly max: number; readonly p99: number }
  readonly memory: NodeJS.MemoryUsage
  readonly cpuMs: number
}

export interface Server {
  readonly httpPort: number
  readonly wsPort: number
  /** From here on stalls count. */
  begin(): Promise<ServerReport>
  report(): Promise<ServerReport>
  /** Bytes in memory as the kernel counts them, and those of them that are no mapped file. */
  residentBytes(): { readonly all: number; readonly own: number }
  /** How long its main thread has run, and how long it was ready to and had no processor. */
  scheduled(): { readonly ranMs: number; readonly waitedMs: number }
  stop(): Promise<void>
}

/** The built program, with a block at each beat. */
export const startServer = async (flags: readonly string[]): Promise<Server> => {
  const child = spawnWide(
    ['--import', path('reporter.mjs'), path('../../dist/cli/main.js'), 'start', ...flags],
    'pipe',
  )
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  while (!output.includes('\n')) {
    if (child.exitCode !== null) throw new Error('the server did not start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const portOf = (name: string): number => Number(new RegExp(`${name}=\\S+:(\\d+)`).exec(output)?.[1])
  return {
    httpPort: portOf('http'),
    wsPort: portOf('ws'),
    begin: () => ask(child, 'begin'),
    report: () => ask(child, 'report'),
    residentBytes: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
      return { all: read('VmRSS'), own: read('RssAnon') }
    },
    scheduled: () => {
      const [ran = 0, waited = 0] = readFileSync(`/proc/${child.pid}/schedstat`, 'utf8')
        .split(' ')
        .map(Number)
      return { ranMs: ran / 1e6, waitedMs: waited / 1e6 }
    },
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

export interface ClientProcess {
  ask<T>(order: Order): Promise<T>
  stop(): void
}

export const startClients = (): ClientProcess => {
  const child = spawnWide(['--import', 'tsx', path('clients.ts')], 'inherit')
  return { ask: (order) => ask(child, order), stop: () => child.disconnect() }
}
