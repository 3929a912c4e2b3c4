import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'

export const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** A contract that counts its calls without data, with a log of the count for each, and gives the count to any other call. */
const runtime = '361560105760005460005260206000f35b6000546001018060005560005260206000a000'
export const counterCode = `0x602480600b6000396000f3${runtime}`

/** One HTTP connection that is kept. */
export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #url: string
  #lastId = 0

  constructor(url: string) {
    this.#url = url
  }

  async call<T = string>(method: string, ...params: readonly unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params })
    const { result, error } = JSON.parse(await this.post(body)) as { result: T; error?: unknown }
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve(text))
        response.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Returns the ids of the processes that a process started. */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // After the name, which may hold anything: the state and the parent.
        const [, , parent] = (readFileSync(`/proc/${name}/stat`, 'utf8').split(')').at(-1) ?? '').split(' ')
        return Number(parent) === pid ? [Number(name)] : []
      } catch {
        return []
      }
    })

export const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** Returns the number of sockets that a process has open. */
const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

/** A node of the built program with serving processes. */
export class ServingNode {
  readonly program: Program
  readonly urls: Readonly<Record<string, string>>
  readonly home: string

  private constructor(program: Program, urls: Readonly<Record<string, string>>, home: string) {
    this.program = program
    this.urls = urls
    this.home = home
  }

  static async start(workers: number, args: readonly string[] = [], mainFile?: string): Promise<ServingNode> {
    const home = await mkdtemp(join(tmpdir(), 'serving-'))
    const flags = ['start', ...isolatedFlags(home), `--json-rpc.workers=${workers}`, ...args]
    const program = runProgram(flags, {}, mainFile)
    return new ServingNode(program, await program.ready(), home)
  }

  get pid(): number {
    return this.program.child.pid as number // it runs
  }

  get workers(): readonly number[] {
    return childrenOf(this.pid)
  }

  /** Opens connections until each serving process has `each` of them. */
  async connect(each: number): Promise<readonly Connection[]> {
    const before = new Map(this.workers.map((pid) => [pid, socketsOf(pid)]))
    const connections: Connection[] = []
    await eventually(async () => {
      const connection = new Connection(this.urls.http as string)
      await connection.call('eth_chainId')
      connections.push(connection)
      return [...before].every(([pid, sockets]) => socketsOf(pid) >= sockets + each)
    })
    return connections
  }

  async stop(): Promise<number | NodeJS.Signals> {
    this.program.child.kill('SIGTERM')
    return this.program.ended()
  }

  async remove(): Promise<void> {
    if (this.program.child.exitCode === null && this.program.child.signalCode === null) await this.stop()
    await rm(this.home, { recursive: true, force: true })
  }
}
