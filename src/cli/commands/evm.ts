import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { type Fork, forks } from '../../chain/config/forks.ts'
import { type RunCodeOptions, runCode } from '../../evm/runCode.ts'
import { parseForkName } from '../../evm/stateTest/forkNames.ts'
import { runFiles } from '../../evm/stateTest/runFiles.ts'
import { json, print } from '../output/print.ts'
import { createProgress } from '../output/progress.ts'

/** `perihelion evm` runs the EVM alone, for official tests and for measuring code. */

export const define = (evm: Command): void => {
  evm
    .command('statetest')
    .description('Run state tests in the format of ethereum/tests: one JSON line for each case')
    .argument('<paths...>', 'files, or folders to be searched for .json files')
    .option('--workers <n>', 'worker threads', parseCount, availableParallelism())
    .action(runStateTests)
  evm
    .command('run')
    .description('Run code and print its output, gas and speed')
    .requiredOption('--code <hex>', 'the code of the contract', parseHex)
    .option('--input <hex>', 'call data', parseHex, new Uint8Array(0))
    .option('--gas <n>', 'gas for the call', parseGas, 10_000_000_000n)
    .option('--fork <name>', 'rules to run under', parseFork, 'osaka' satisfies Fork)
    .option('--bench', 'repeat for a second and report the best run', false)
    .action(runOnce)
}

const parseHex = (text: string): Uint8Array => {
  try {
    return fromHex(text.startsWith('0x') ? text : `0x${text}`)
  } catch {
    throw new InvalidArgumentError('not hex digits')
  }
}

const parseGas = (text: string): bigint => {
  if (!/^(0x[0-9a-f]+|\d+)$/i.test(text) || BigInt(text) >= 2n ** 63n)
    throw new InvalidArgumentError('not an amount of gas')
  return BigInt(text)
}

const parseCount = (text: string): number => {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('not a number from 1 to 999')
  return Number(text)
}

const parseFork = (text: string): Fork => {
  const forkByName = forks.find((fork) => fork.toLowerCase() === text.toLowerCase())
  const fork = forkByName ?? parseForkName(text)
  if (fork === undefined) throw new InvalidArgumentError(`one of ${forks.join(', ')}`)
  return fork
}

const listFiles = (path: string): string[] => {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name))
}

const runStateTests = async (paths: readonly string[], { workers }: { workers: number }): Promise<void> => {
  const files = paths.flatMap(listFiles)
  const progress = createProgress({ label: 'running', unit: 'files' })
  let passed = 0
  let failed = 0
  let done = 0
  await runFiles(files, {
    workers,
    onFile: (results) => {
      for (const result of results) {
        if (result.pass) passed++
        else failed++
        print`${json(result)}\n`
      }
      progress.step(++done, files.length)
    },
  })
  progress.stop()
  print`${passed} passed, ${failed} failed\n`
  if (failed > 0) process.exitCode = 1
}

interface RunFlags extends RunCodeOptions {
  readonly bench: boolean
}

const runOnce = async ({ bench, ...options }: RunFlags): Promise<void> => {
  const { output, gasUsed, error, milliseconds, runs } = await runCode(options, bench)
  const speed = Number(gasUsed) / 1e3 / milliseconds
  const lines = [
    `output:   ${toHex(output)}`,
    ...(error === undefined ? [] : [`error:    ${error}`]),
    `gas used: ${gasUsed}`,
    `time:     ${milliseconds.toFixed(3)} ms${bench ? ` (best of ${runs})` : ''}`,
    `speed:    ${speed.toFixed(1)} Mgas/s`,
  ]
  for (const line of lines) print`${line}\n`
  if (error !== undefined) process.exitCode = 1
}
