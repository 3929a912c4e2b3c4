import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/support/freePort.ts'
import { findGeth, findProgram } from '../../test/support/programs/findProgram.ts'
import { RpcClient } from './client.ts'

export interface Peer {
  readonly name: string
  readonly client: RpcClient
  /** The folder that holds its data. */
  readonly home: string
  close(): Promise<void>
}

interface Command {
  readonly file: string
  readonly args: (port: number, home: string) => readonly string[]
}

const own = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const geth = findGeth()
const anvil = findProgram('anvil', 'ANVIL')

const commands: Readonly<Record<string, Command | undefined>> = {
  perihelion: {
    file: process.execPath,
    args: (port, home) => [
      own,
      'start',
      `--home=${home}`,
      `--json-rpc.address=127.0.0.1:${port}`,
      '--json-rpc.ws-address=',
      '--json-rpc.logs-cap=0',
      '--json-rpc.logs-bytes-cap=1000000000',
      '--log.level=error',
    ],
  },
  geth: geth
    ? {
        file: geth,
        args: (port, home) => [
          ...['--dev', '--datadir', home, '--http', '--http.port', String(port)],
          ...['--http.api', 'eth,net,web3', '--ipcdisable', '--port', '0', '--verbosity', '1'],
        ],
      }
    : undefined,
  anvil: anvil ? { file: anvil, args: (port) => ['--port', String(port), '--silent'] } : undefined,
}

export const peerNames: readonly string[] = Object.keys(commands)

const untilAnswers = async (client: RpcClient, child: ChildProcess): Promise<void> => {
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    try {
      await client.call('eth_blockNumber')
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error('it does not answer')
}

/** Undefined, with a reason, where the peer is not here. */
export const startPeer = async (name: string): Promise<Peer | undefined> => {
  const command = commands[name]
  if (command === undefined) {
    process.stderr.write(`${name}: skipped, not on the path, and ${name.toUpperCase()} does not name it\n`)
    return undefined
  }
  const home = mkdtempSync(join(tmpdir(), `bench-logs-${name}-`))
  const port = await freePort()
  const child = spawn(command.file, command.args(port, home), { stdio: ['ignore', 'ignore', 'inherit'] })
  const client = new RpcClient(port)
  const close = async (): Promise<void> => {
    client.close()
    if (child.exitCode === null) {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
  }
  try {
    await untilAnswers(client, child)
  } catch (error) {
    await close()
    rmSync(home, { recursive: true, force: true })
    throw new Error(`${name}: ${(error as Error).message}`)
  }
  return { name, client, home, close }
}
