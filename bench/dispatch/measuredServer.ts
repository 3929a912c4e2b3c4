import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own whose CPU time can be read. */
export interface MeasuredServer {
  readonly port: number
  /** CPU time of the process so far, user and system, in microseconds. */
  cpuTime(): Promise<number>
  stop(): Promise<void>
}

const reporter = fileURLToPath(new URL('cpuReporter.mjs', import.meta.url))

/** Starts a program that prints a line with `http=http://host:port` once it serves. */
export const startMeasured = async (
  program: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<MeasuredServer> => {
  const child = spawn(process.execPath, [...nodeFlags, '--import', reporter, program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const port = await readPort(child)
  return {
    port,
    cpuTime: async () => {
      child.send('cpu')
      const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage]
      return user + system
    },
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

const readPort = async (child: ChildProcess): Promise<number> => {
  if (child.stdout === null) throw new Error('the child has no stdout')
  for await (const line of createInterface(child.stdout)) {
    const [, port] = /http=http:\/\/[^ ]+:(\d+)/.exec(line) ?? []
    if (port !== undefined) return Number(port)
  }
  throw new Error('the server ended before it was ready')
}
