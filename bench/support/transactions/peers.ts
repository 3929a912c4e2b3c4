import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fromHex } from '../../../src/base/encoding/hex.ts'
import { createGenesis } from '../../../test/geth/genesis.ts'
import { freePort } from '../../../test/support/freePort.ts'
import { findProgram } from '../../../test/support/programs/findProgram.ts'
import { call, connect } from '../connection.ts'

/** A program that produces blocks from the transactions that it is sent. */
export interface Peer {
  readonly name: string
  /** Undefined if it is not installed. */
  readonly program: string | undefined
  /** How to install it. */
  readonly missing: string
  /** Prepares its folder. */
  readonly prepare?: (program: string, folder: string) => void
  readonly args: (port: number, folder: string) => readonly string[]
}

export interface RunningPeer {
  readonly port: number
  readonly version: string
  /** Returns the CPU time so far in milliseconds, if the system reports it. */
  cpuMs(): number | undefined
  stop(): Promise<void>
}

export const chainId = 1337

/** The first account of the public mnemonic `test test … junk`, which has the coins. */
export const funderKey = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const funder = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const gasLimit = 60_000_000
const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

const ours = (name: string, nodeFlags: readonly string[], ...flags: readonly string[]): Peer => ({
  name,
  program: process.execPath,
  missing: '',
  args: (port, folder) => [
    ...nodeFlags,
    main,
    'start',
    ...['--home', folder, '--chain-id', String(chainId), '--json-rpc.ws-address='],
    `--json-rpc.address=127.0.0.1:${port}`,
    ...flags,
  ],
})

/** By default `geth --dev` has the rules of a future fork; the genesis file sets Osaka, as the others have. */
const initGeth = (program: string, folder: string): void => {
  const file = join(folder, 'genesis.json')
  const alloc = { [funder]: { balance: '0xffffffffffffffffffff' } }
  writeFileSync(file, JSON.stringify(createGenesis(chainId, alloc, 0)))
  execFileSync(program, ['init', '--datadir', folder, file], { stdio: 'ignore' })
}

/** Returns geth with a pool that rejects nothing. */
const geth = (name: string, period: number): Peer => ({
  name,
  program: findProgram('geth', 'GETH'),
  missing: 'no geth on the path, and GETH names none',
  prepare: initGeth,
  args: (port, folder) => [
    ...[
      '--datadir',
      folder,
      '--dev',
      `--dev.period=${period}`,
      `--dev.gaslimit=${gasLimit}`,
      `--miner.gaslimit=${gasLimit}`,
    ],
    ...['--http', `--http.port=${port}`, '--http.api=eth,web3', '--ipcdisable', '--verbosity=1'],
    ...['accountslots', 'globalslots', 'accountqueue', 'globalqueue'].map(
      (name) => `--txpool.${name}=1000000`,
    ),
    '--rpc.batch-request-limit=1000',
  ],
})

const anvil = (name: string, ...flags: readonly string[]): Peer => ({
  name,
  program: findProgram('anvil', 'ANVIL'),
  missing: 'no anvil on the path, and ANVIL names none',
  args: (port) => [
    ...['--port', String(port), '--chain-id', String(chainId), '--gas-limit', String(gasLimit)],
    ...['--silent', '--order', 'fifo', ...flags],
  ],
})

/**
 * As for geth above. With instant sealing a sender waits for the block, so that the pool is never full; with a block
 * time it would be.
 */
const wideOpenPool = ['account-slots', 'global-slots', 'account-queue', 'global-queue'].map(
  (name) => `--txpool.${name}=1000000`,
)

/** Each program in its two modes: instant sealing and a block time. */
export const createPeers = (nodeFlags: readonly string[]): readonly Peer[] => [
  ours('perihelion', nodeFlags),
  ours('perihelion 100ms', nodeFlags, '--block-time=100ms', ...wideOpenPool),
  geth('geth', 0),
  geth('geth 1s', 1),
  anvil('anvil'),
  anvil('anvil 1s', '--block-time', '1'),
]

/** Returns the user and system time of a process with its threads and children, in ticks of 10 ms (proc(5)). */
const cpuOf = (pid: number | undefined): number | undefined => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    const processMs = (Number(fields[11]) + Number(fields[12])) * 10
    return children.reduce((sum, child) => sum + (cpuOf(Number(child)) ?? 0), processMs)
  } catch {
    return undefined
  }
}

const startTimeoutMs = 60_000

const versionOf = async (port: number): Promise<string> => {
  const connection = await connect(port)
  try {
    return await call<string>(connection, 'web3_clientVersion')
  } finally {
    connection.close()
  }
}

export const startPeer = async ({ name, program, prepare, args }: Peer): Promise<RunningPeer> => {
  if (program === undefined) throw new Error(`${name} is not installed`)
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
  prepare?.(program, folder)
  const port = await freePort()
  const child = spawn(program, args(port, folder), { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2_000)
  })
  const ended = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const version = await versionOf(port).catch(() => undefined)
    if (version !== undefined) return { port, version, cpuMs: () => cpuOf(child.pid), stop }
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`${name} does not serve: ${output}`)
    }
    await sleep(100)
  }
}
