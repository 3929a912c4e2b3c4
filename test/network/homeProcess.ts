import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findProgram } from '../../src/engine/cometbft/process/engineBinary.ts'

/** Nodes of a network one by one: a home each, started and ended in every way that a test can think of. */

const mainFile = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const readyMs = 120_000
const endMs = 60_000
const answerMs = 60_000

/** Finds CometBFT, or builds it where Go is there and says so; returns why there is none. */
export const missingEngine = (notify: (text: string) => void): Promise<string | undefined> =>
  findProgram({ path: process.env.PERIHELION_COMETBFT ?? '', notify }).then(
    () => undefined,
    (error: Error) => error.message.split('\n', 1)[0],
  )

export interface HomeOptions {
  readonly args?: readonly string[]
  /** Of Node itself. */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export const until = async (what: string, isSo: () => boolean | Promise<boolean>, ms = readyMs) => {
  const end = performance.now() + ms
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${ms / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Whether a process runs: not one that has ended and whose new parent has not asked how yet. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const factsOf = (line: string): Record<string, string> =>
  Object.fromEntries(
    line.split(' ').flatMap((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [] : [[part.slice(0, at), part.slice(at + 1)]]
    }),
  )

const running = new Set<HomeProcess>()

/** A node that was started. */
export class HomeProcess {
  readonly home: string
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #facts: Record<string, string> = {}
  #errors = ''
  #hasEnded = false

  constructor(home: string, { args = [], nodeArgs = [], env = {} }: HomeOptions = {}) {
    this.home = home
    this.#child = spawn(process.execPath, [...nodeArgs, mainFile, 'start', '--home', home, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    running.add(this)
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#errors = `${this.#errors}${text}`.slice(-200_000)
    })
    if (this.#child.stdout)
      createInterface(this.#child.stdout).on('line', (line) => {
        if (line.startsWith('perihelion ready')) this.#facts = factsOf(line)
      })
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#hasEnded = true
        running.delete(this)
        resolve({ code, signal })
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** What it said on stderr. */
  get errors(): string {
    return this.#errors
  }

  get http(): string {
    return this.#facts.http ?? ''
  }

  /** Of its engine. */
  get rpc(): string {
    return this.#facts.rpc ?? ''
  }

  get enginePid(): number {
    return Number(this.#facts['engine-pid'] ?? enginePidOf(this.home))
  }

  async ready(): Promise<this> {
    await until(`${this.home} is ready`, () => this.http !== '' || this.#hasEnded)
    if (this.#hasEnded) throw new Error(`${this.home} ended: ${this.#errors.slice(-3000)}`)
    return this
  }

  /** Also waits for its engine, which ends by itself when nobody answers it. */
  async gone(): Promise<Ended> {
    const ended = await this.ended
    const pid = this.enginePid
    if (pid > 0) await until(`the engine of ${this.home} is gone`, () => !isAlive(pid), endMs)
    return ended
  }

  async stop(): Promise<Ended> {
    this.#child.kill('SIGTERM')
    return this.gone()
  }

  /** What a power cut does. */
  async kill(): Promise<Ended> {
    const pid = this.enginePid
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL')
    this.#child.kill('SIGKILL')
    return this.gone()
  }
}

/** The engine that runs on a home, where its parent did not live to name it. */
const enginePidOf = (home: string): number => {
  const { stdout } = spawnSync('pgrep', ['-f', `^.*cometbft start --home ${home}/engine `], {
    encoding: 'utf8',
  })
  return Number(stdout.trim().split('\n')[0] ?? 0)
}

/** Ends whatever a failed test left behind. */
export const killAll = async (): Promise<void> => {
  for (const one of running) await one.kill()
}

export interface Homes {
  readonly folder: string
  readonly homes: readonly string[]
  readonly genesis: string
  remove(): Promise<void>
}

/** The homes of a new network. */
export const createHomes = (validators: number, blockTimeMs: number, chainId = 31_337): Homes => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-homes-'))
  const program = process.env.PERIHELION_COMETBFT ?? ''
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...[mainFile, 'testnet', '--out-only', '--home', folder, '--validators', `${validators}`],
      ...[
        '--block-time',
        `${blockTimeMs}`,
        '--chain-id',
        `${chainId}`,
        ...(program === '' ? [] : ['--cometbft', program]),
      ],
    ],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`no homes were made: ${stderr}`)
  return {
    folder,
    homes: Array.from({ length: validators }, (_, index) => join(folder, `node${index}`)),
    genesis: join(folder, 'genesis.json'),
    remove: async () => {
      await killAll()
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Reply<T> {
  readonly result?: T
  readonly error?: { readonly code: number; readonly message: string }
}

/** The whole reply, for tests of errors. */
export const ask = async <T>(
  url: string,
  method: string,
  ...params: readonly unknown[]
): Promise<Reply<T>> => {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(answerMs),
  })
  return (await reply.json()) as Reply<T>
}

export const callHome = async <T>({ http }: HomeProcess, method: string, ...params: readonly unknown[]) => {
  const { result, error } = await ask<T>(http, method, ...params)
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result as T // a result where there is no error
}

export const headOf = async (node: HomeProcess): Promise<number> =>
  Number(await callHome<string>(node, 'eth_blockNumber'))

export const reach = (node: HomeProcess, height: number, ms = readyMs): Promise<void> =>
  until(`${node.home} is at ${height}`, async () => (await headOf(node)) >= height, ms)

/** What CometBFT itself answers. */
export const askEngine = async <T>({ rpc }: HomeProcess, path: string): Promise<T> => {
  const reply = await fetch(`${rpc}/${path}`, { signal: AbortSignal.timeout(answerMs) })
  return ((await reply.json()) as { result: T }).result
}

export const toNumber = (height: number): string => `0x${height.toString(16)}`
