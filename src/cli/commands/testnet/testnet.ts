import { resolve } from 'node:path'
import type { Command } from 'commander'
import { badUsage, homeInUse } from '../../../base/exit.ts'
import { lockFolder } from '../../../base/lock/homeLock.ts'
import type { Fork } from '../../../chain/config/forks.ts'
import { describeMismatch } from '../../../config/kinds/kind.ts'
import { duration } from '../../../config/kinds/numbers.ts'
import { settings } from '../../../config/settings/settings.ts'
import { ensureHomes, fundedCoins, fundedKeys, portsPerNode } from '../../../service/testnet/homes.ts'
import { renderKeys } from '../../output/greeting.ts'
import { painter } from '../../output/paint.ts'
import { print, printError, rendered } from '../../output/print.ts'
import { terminalColumns } from '../../output/textMode.ts'
import { defineControl } from './control.ts'
import { runningNetwork, startDetached } from './detached.ts'
import { startTestnetNode, type TestnetNode } from './node.ts'
import { TestnetTable } from './table.ts'

interface TestnetFlags {
  readonly validators: string
  readonly home: string
  readonly chainId: string
  readonly blockTime: string
  readonly forkName: string
  readonly cometbft: string
  readonly outOnly?: boolean
  readonly basePort?: string
  readonly detach?: boolean
}

const defaultFolder = './perihelion-testnet'
const maxValidators = 16
const maxPort = 65_535
const maxBlockTimeMs = 60_000

/** Defines `perihelion testnet`, which runs a network of validators on this computer. */
export const define = (command: Command): void => {
  // Flags after `stop` and `status` are theirs.
  command.enablePositionalOptions()
  defineControl(command, defaultFolder)
  command
    .option('--validators <n>', 'how many, in a new folder', '4')
    .option('--home <dir>', 'the folder of the network', defaultFolder)
    .option('--chain-id <id>', 'the chain id (EIP-155), in a new folder', '31337')
    .option(
      '--block-time <duration>',
      'the pause after each block, such as 1s; without a unit in milliseconds; in a new folder',
      '500ms',
    )
    .option('--fork-name <name>', 'the rules from block 0 on, in a new folder', settings['fork-name'].default)
    .option('--cometbft <path>', 'the CometBFT program; otherwise it is found, or installed with Go', '')
    .option(
      '--base-port <port>',
      'the first of the ports, four for each node, in a new folder (default: free ones)',
    )
    .option('--out-only', 'write the homes and stop')
    .option('--detach', 'run on in the background when all nodes are ready; `testnet stop` stops it')
    .action(runTestnet)
}

const runTestnet = async (flags: TestnetFlags): Promise<void> => {
  const folder = resolve(flags.home)
  const homes = await ensureHomes({
    folder,
    validators: parseCount('--validators', flags.validators, 1, maxValidators),
    chainId: parseCount('--chain-id', flags.chainId, 1, Number.MAX_SAFE_INTEGER),
    blockTimeMs: parseBlockTime(flags.blockTime),
    fork: parseFork(flags.forkName),
    cometbft: flags.cometbft,
    basePort: parseBasePort(flags.basePort, flags.validators),
    onProgress: (text) => printError`${text}\n`,
  })
  if (flags.outOnly === true) {
    for (const [index, home] of homes.entries()) print`testnet node=${index} home=${home}\n`
    return
  }
  if (flags.detach === true) {
    if (runningNetwork(folder) !== undefined) throw homeInUse(`a network runs in ${folder} already`)
    print`${rendered(await detach(folder, ['--home', folder, '--cometbft', flags.cometbft]))}`
    greet(folder, '')
    return
  }
  const unlock = lockFolder(folder, { kind: 'folder', flag: '--home' })
  try {
    await serve(homes, folder)
  } finally {
    unlock()
  }
}

/** Starts the network in the background. It has a session of its own, so that a Ctrl-C here does not reach it by itself. */
const detach = async (folder: string, args: readonly string[]): Promise<string> => {
  const interruption = new AbortController()
  const interrupt = (): void => interruption.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, interrupt)
  try {
    return await startDetached(folder, args, { interrupted: interruption.signal })
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}

/** Tells a person which accounts have funds and how to stop. */
const greet = (folder: string, otherWay: string): void => {
  const accounts = renderKeys(
    `with ${fundedCoins} coins each`,
    fundedKeys(),
    painter(process.stderr),
    terminalColumns(),
  )
  printError`${rendered(accounts)}Stop it with ${otherWay}perihelion testnet stop --home ${folder}\n`
}

const serve = async (homes: readonly string[], folder: string): Promise<void> => {
  const nodes = homes.map((home, index) => startTestnetNode(index, home))
  const stop = stopOnce(nodes)
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    for (const node of nodes) print`testnet ${renderFields(await node.ready)}\n`
  } catch (error) {
    await stop()
    throw error
  }
  greet(folder, 'Ctrl-C, or: ')
  print`testnet ready nodes=${nodes.length}\n`
  const table = process.stdout.isTTY
    ? new TestnetTable(process.stdout, await Promise.all(nodes.map((n) => n.ready)))
    : undefined
  await Promise.all(nodes.map(({ ended }) => ended))
  table?.close()
}

const renderFields = (fields: Readonly<Record<string, string | number>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** Returns a function that stops all nodes once; a second signal waits for the same stop. */
const stopOnce = (nodes: readonly TestnetNode[]): (() => Promise<void>) => {
  let stopping: Promise<void> | undefined
  return () => {
    stopping ??= Promise.all(nodes.map((node) => node.stop())).then(() => {})
    return stopping
  }
}

const parseCount = (name: string, text: string, min: number, max: number): number => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw badUsage(`${name}: got ${JSON.stringify(text)}, wanted an integer from ${min} to ${max}`)
}

/** Returns the first port, from which those of all nodes fit. */
const parseBasePort = (text: string | undefined, validators: string): number | undefined =>
  text === undefined
    ? undefined
    : parseCount('--base-port', text, 1, maxPort + 1 - portsPerNode * Number(validators))

const parseBlockTime = (text: string): number => {
  const kind = duration({ min: 0 })
  const value = /^\d+$/.test(text) ? Number(text) : kind.fromText(text)?.value
  if (value !== undefined && value <= maxBlockTimeMs) return value
  throw badUsage(
    `--block-time: got ${JSON.stringify(text)}, wanted a time such as 500ms or 1s, at most ${maxBlockTimeMs / 1000}s`,
  )
}

const parseFork = (text: string): Fork => {
  const { kind } = settings['fork-name']
  const read = kind.fromText(text)
  if (read !== undefined) return read.value
  throw badUsage(`--fork-name: ${describeMismatch(JSON.stringify(text), kind)}`)
}
