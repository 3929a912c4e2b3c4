import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A network of real processes, and what the tests do to it. */

export interface NetworkNode {
  readonly http: string
  readonly ws: string
  /** Of CometBFT. */
  readonly rpc: string
  readonly home: string
  pid: number
  enginePid: number
}

export interface Network {
  readonly folder: string
  readonly nodes: readonly NetworkNode[]
  stop(): Promise<void>
}

export const mainFile = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
/** The pause after each block, in milliseconds. */
const blockTime = '200'

type Facts = Readonly<Record<string, string>>

const factsOf = (line: string): Facts =>
  Object.fromEntries(
    line.split(' ').flatMap((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [] : [[part.slice(0, at), part.slice(at + 1)]]
    }),
  )

const nodeOf = (
  { http = '', ws = '', rpc = '', 'engine-pid': enginePid }: Facts,
  home: string,
  pid: number,
) => ({
  http,
  ws,
  rpc,
  home,
  pid,
  enginePid: Number(enginePid),
})

/** A run of the program that has printed what was waited for. */
interface Run {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  /** The last of what it wrote to stderr. */
  errors(): string
}

const started = new Set<ChildProcess>()
/** Enough for the lines that say why something ended. */
const keptErrors = 20_000

/** Starts the program; resolves when a line begins with `last`. */
const run = (args: readonly string[], last: string, file = mainFile): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    started.add(child)
    const lines: string[] = []
    let errors = ''
    child.stderr.on('data', (text: Buffer) => {
      errors = `${errors}${text}`.slice(-keptErrors)
    })
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      if (line.startsWith(last)) resolve({ child, lines, errors: () => errors })
    })
    child.once('close', (code) => {
      started.delete(child)
      if (code === 0 && lines.some((line) => line.startsWith(last)))
        resolve({ child, lines, errors: () => errors })
      reject(new Error(`${args[0]} ended with ${code}: ${errors}`))
    })
  })

const stopAll = async (folder: string): Promise<void> => {
  await Promise.all(
    [...started].map((child) => {
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      return closed
    }),
  )
  rmSync(folder, { recursive: true, force: true })
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'perihelion-net-'))

const testnetArgs = (folder: string, validators: number): string[] => [
  'testnet',
  ...['--home', folder, '--validators', `${validators}`, '--block-time', blockTime],
  ...['--cometbft', process.env.PERIHELION_COMETBFT ?? ''],
]

/** A network as `perihelion testnet` makes it. */
export const startNetwork = async (validators: number): Promise<Network & { readonly pid: number }> => {
  const folder = newFolder()
  const { child, lines } = await run(testnetArgs(folder, validators), 'testnet ready')
  const nodes = lines
    .filter((line) => line.startsWith('testnet node='))
    .map((line): NetworkNode => {
      const facts = factsOf(line)
      return nodeOf(facts, facts.home ?? '', Number(facts.pid))
    })
  return { folder, nodes, pid: child.pid ?? 0, stop: () => stopAll(folder) }
}

/** Homes alone, to be changed before their nodes start. */
export const writeHomes = async (
  validators: number,
): Promise<{ folder: string; homes: readonly string[] }> => {
  const folder = newFolder()
  const { lines } = await run(
    [...testnetArgs(folder, validators), '--out-only'],
    `testnet node=${validators - 1}`,
  )
  return { folder, homes: lines.map((line) => factsOf(line).home ?? '') }
}

export interface StartedNode extends NetworkNode {
  readonly child: ChildProcess
  errors(): string
}

/** Starts the node of a home by itself, from a build of its own where one is named. */
export const startNode = async (
  home: string,
  { flags = [], file = mainFile }: { readonly flags?: readonly string[]; readonly file?: string } = {},
): Promise<StartedNode> => {
  const { child, lines, errors } = await run(['start', '--home', home, ...flags], 'perihelion ready', file)
  return { ...nodeOf(factsOf(lines.at(-1) ?? ''), home, child.pid ?? 0), child, errors }
}

/** The network of such homes; all of them start together, since one alone decides nothing. */
export const startHomes = async (
  folder: string,
  homes: readonly string[],
  fileOf: (index: number) => string = () => mainFile,
): Promise<Network & { readonly nodes: readonly StartedNode[] }> => {
  const nodes = await Promise.all(homes.map((home, index) => startNode(home, { file: fileOf(index) })))
  return { folder, nodes, stop: () => stopAll(folder) }
}

/** The processes of a node: itself and its engine. */
const signal = ({ pid, enginePid }: NetworkNode, name: NodeJS.Signals): void => {
  process.kill(enginePid, name)
  process.kill(pid, name)
}

/** What a power cut does: the node and its engine are gone at once. */
export const killNode = (node: NetworkNode): void => signal(node, 'SIGKILL')

/** What a machine that is busy with something else does. */
export const pauseNode = (node: NetworkNode): void => signal(node, 'SIGSTOP')
export const resumeNode = (node: NetworkNode): void => signal(node, 'SIGCONT')

/** Brings a node back on its own ports. */
export const restartNode = async (node: NetworkNode): Promise<void> => {
  const { pid, enginePid } = await startNode(node.home)
  node.pid = pid
  node.enginePid = enginePid
}
