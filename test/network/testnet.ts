import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A network of real processes, and what the tests do to it. */

export interface NetworkNode {
  readonly http: string
  readonly home: string
  pid: number
  enginePid: number
}

export interface Network {
  readonly nodes: readonly NetworkNode[]
  stop(): Promise<void>
}

const mainFile = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const started = new Set<ChildProcess>()

const factsOf = (line: string): Record<string, string> =>
  Object.fromEntries(
    line.split(' ').flatMap((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [] : [[part.slice(0, at), part.slice(at + 1)]]
    }),
  )

/** Starts the program and gives its lines until one begins with `last`. */
const run = (args: readonly string[], last: string): Promise<readonly string[]> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mainFile, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    started.add(child)
    const lines: string[] = []
    let errors = ''
    child.stderr.on('data', (text: Buffer) => {
      errors = `${errors}${text}`.slice(-4000)
    })
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      if (line.startsWith(last)) resolve(lines)
    })
    child.once('close', (code) => {
      started.delete(child)
      reject(new Error(`${args[0]} ended with ${code}: ${errors}`))
    })
  })

export const startNetwork = async (validators: number): Promise<Network> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-net-'))
  const lines = await run(
    ['testnet', '--home', folder, '--validators', `${validators}`, '--block-time', '200'],
    'testnet ready',
  )
  const nodes = lines
    .filter((line) => line.startsWith('testnet node='))
    .map((line): NetworkNode => {
      const { http = '', home = '', pid, 'engine-pid': enginePid } = factsOf(line)
      return { http, home, pid: Number(pid), enginePid: Number(enginePid) }
    })
  return {
    nodes,
    stop: async () => {
      await Promise.all(
        [...started].map((child) => {
          const closed = new Promise((resolve) => child.once('close', resolve))
          child.kill('SIGTERM')
          return closed
        }),
      )
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What a power cut does: the node and its engine are gone at once. */
export const killNode = ({ pid, enginePid }: NetworkNode): void => {
  process.kill(enginePid, 'SIGKILL')
  process.kill(pid, 'SIGKILL')
}

/** Brings a node back on its own ports. */
export const restartNode = async (node: NetworkNode): Promise<void> => {
  const lines = await run(['start', '--home', node.home], 'perihelion ready')
  const { 'engine-pid': enginePid } = factsOf(lines.at(-1) ?? '')
  node.enginePid = Number(enginePid)
  node.pid = [...started].at(-1)?.pid ?? 0
}

export const call = async <T>(
  node: NetworkNode,
  method: string,
  ...params: readonly unknown[]
): Promise<T> => {
  const reply = await fetch(node.http, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(20_000),
  })
  const { result, error } = (await reply.json()) as { result?: T; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result as T // a result where there is no error
}

export const heightOf = async (node: NetworkNode): Promise<number> =>
  Number(await call<string>(node, 'eth_blockNumber'))

/** Waits until the node is at least at a height. */
export const waitForHeight = async (node: NetworkNode, height: number): Promise<void> => {
  while ((await heightOf(node)) < height) await new Promise((resolve) => setTimeout(resolve, 100))
}
