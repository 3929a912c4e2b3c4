import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../test/support/freePort.ts'
import { call, connect } from '../load/connection.ts'
import { cpuMsOf, rssMbOf } from '../run/processTree.ts'
import { installPeer } from './install.ts'
import type { Located } from './locate.ts'
import { ownProgram } from './ownProgram.ts'
import type { Mode, NodeProgram } from './program.ts'
import { nodePrograms } from './programs.ts'

export interface RunningNode {
  readonly program: NodeProgram
  readonly port: number
  readonly version: string
  /** The folder with its data. */
  readonly folder: string
  readonly pid: number
  /** From the start of the process to the first answer. */
  readonly firstAnswerMs: number
  cpuMs(): number
  rssMb(): number
  /** Ends it; a folder that was given stays. */
  stop(): Promise<void>
}

export interface StartOptions extends Mode {
  /** Arguments of Node itself, for this program. */
  readonly nodeArgs?: readonly string[]
  /** More settings. */
  readonly flags?: readonly string[]
  /** A folder with data, which stays. */
  readonly folder?: string | undefined
  /** Whether that folder is empty. */
  readonly isNewFolder?: boolean
  readonly pollMs?: number
  /** Whether it may have as many open files as the system allows. */
  readonly isWide?: boolean
}

/** A shell that raises the limit of open files, then becomes the program. */
const wide = ['-c', 'ulimit -n "$(ulimit -Hn)" && exec "$@"', 'sh']

const startTimeoutMs = 120_000

const locate = (name: string, nodeArgs: readonly string[]): Located =>
  name === 'perihelion' ? { file: process.execPath, args: [...nodeArgs, ownProgram()] } : installPeer(name)

const versionOf = async (port: number): Promise<string> => {
  const connection = await connect(port)
  try {
    return await call<string>(connection, 'web3_clientVersion')
  } finally {
    connection.close()
  }
}

/** Starts this program or a peer, and waits until it answers. */
export const startNode = async (name: string, options: StartOptions = {}): Promise<RunningNode> => {
  const program = nodePrograms[name]
  if (program === undefined) throw new Error(`there is no peer ${name}`)
  const located = locate(name, options.nodeArgs ?? [])
  const made = (): string =>
    program.folderIn?.(located) ?? mkdtempSync(join(tmpdir(), `perihelion-bench-${name}-`))
  const folder = options.folder ?? made()
  if (options.folder === undefined || options.isNewFolder === true)
    program.prepare?.(located, folder, options)
  const port = await freePort()
  const { file, args, cwd } = program.command(located, folder, port, options)
  const startedAt = performance.now()
  const command = [file, ...args, ...(options.flags ?? [])]
  const [executable = file, ...rest] = options.isWide === true ? ['sh', ...wide, ...command] : command
  const child = spawn(executable, rest, {
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2_000)
  })
  const ended = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(late)
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const pid = child.pid as number // `spawn` throws nothing where the file is there, and it is
  for (;;) {
    const version = await versionOf(port).catch(() => undefined)
    if (version !== undefined) {
      const firstAnswerMs = performance.now() - startedAt
      if (program.afterStart !== undefined) {
        const connection = await connect(port)
        await call(connection, program.afterStart.method, ...program.afterStart.params)
        connection.close()
      }
      return {
        ...{ program, port, version, folder, pid, firstAnswerMs, stop },
        cpuMs: () => cpuMsOf(pid),
        rssMb: () => rssMbOf(pid),
      }
    }
    if (child.exitCode !== null || performance.now() - startedAt > startTimeoutMs) {
      await stop()
      throw new Error(`${name} does not serve: ${output}`)
    }
    await sleep(options.pollMs ?? 50)
  }
}
