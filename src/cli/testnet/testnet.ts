import { resolve } from 'node:path'
import type { Command } from 'commander'
import { badUsage } from '../../base/exit.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { describeMismatch } from '../../config/kinds/kind.ts'
import { duration } from '../../config/kinds/numbers.ts'
import { settings } from '../../config/settings.ts'
import { ensureHomes } from '../../service/testnet/homes.ts'
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
}

const maxValidators = 16
const maxBlockTimeMs = 60_000

/** Defines `perihelion testnet`, which runs a network of validators on this computer. */
export const define = (command: Command): void => {
  command
    .option('--validators <n>', 'how many, in a new folder', '4')
    .option('--home <dir>', 'the folder of the network', './perihelion-testnet')
    .option('--chain-id <id>', 'the chain id (EIP-155), in a new folder', '31337')
    .option(
      '--block-time <duration>',
      'the pause after each block, such as 1s; without a unit in milliseconds; in a new folder',
      '500ms',
    )
    .option('--fork-name <name>', 'the rules from block 0 on, in a new folder', settings['fork-name'].default)
    .option('--cometbft <path>', 'the CometBFT program; otherwise it is found, or installed with Go', '')
    .option('--out-only', 'write the homes and stop')
    .action(runTestnet)
}

const runTestnet = async (flags: TestnetFlags): Promise<void> => {
  const homes = await ensureHomes({
    folder: resolve(flags.home),
    validators: parseCount('--validators', flags.validators, 1, maxValidators),
    chainId: parseCount('--chain-id', flags.chainId, 1, Number.MAX_SAFE_INTEGER),
    blockTimeMs: parseBlockTime(flags.blockTime),
    fork: parseFork(flags.forkName),
    cometbft: flags.cometbft,
    onProgress: (text) => process.stderr.write(`${text}\n`),
  })
  if (flags.outOnly === true) {
    for (const [index, home] of homes.entries()) process.stdout.write(`testnet node=${index} home=${home}\n`)
    return
  }
  await serve(homes)
}

const serve = async (homes: readonly string[]): Promise<void> => {
  const nodes = homes.map((home, index) => startTestnetNode(index, home))
  const stop = stopOnce(nodes)
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    for (const node of nodes) process.stdout.write(`testnet ${renderFields(await node.ready)}\n`)
  } catch (error) {
    await stop()
    throw error
  }
  process.stdout.write(`testnet ready nodes=${nodes.length}\n`)
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
