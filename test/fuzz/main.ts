// Random transactions on our machine and on @ethereumjs/vm: `npm run long -- fuzz --cases N --seed S [--workers W]`.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { opcodeName } from '../../src/evm/tracing/opcodeNames.ts'
import { precompileAddresses } from '../support/evm/precompileInputs.ts'
import { randomCase } from './cases.ts'
import { corpusEntry, corpusFolder } from './corpus.ts'
import { addCoverage, type Coverage, countTransaction, createCounter } from './coverage.ts'
import { definedOpcodes } from './opcodeNames.ts'
import { runOnOracle } from './oracle.ts'
import { differences } from './outcome.ts'
import { runOnMachine } from './subject.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    /** Set for the processes that this one starts: the first case, and the distance to the next. */
    lane: { type: 'string' },
  },
})
const cases = Number(values.cases)
const seed = Number(values.seed)
const workers = Math.max(1, Math.min(Number(values.workers), cases))
if (![cases, seed, workers].every(Number.isSafeInteger))
  throw new Error('--cases, --seed and --workers are integers')

type Message =
  | { readonly done: number; readonly coverage?: Coverage }
  | { readonly difference: string; readonly index: number }

const reportEvery = 200

const runLane = async (first: number, send: (message: Message) => void): Promise<void> => {
  const machine = createEvm(await loadEvmModules(), precompilesAt)
  const coverage: Coverage = {}
  const counter = createCounter(coverage)
  let done = 0
  for (let index = first; index < cases; index += workers) {
    const one = randomCase(seed, index)
    const report = (what: string, fields: readonly string[]): void =>
      send({
        index,
        difference: `case ${index} (${one.forkName}, type ${one.transaction.type}): ${what}: ${fields.join(', ')}`,
      })
    try {
      const ours = runOnMachine(machine, one)
      const traced = runOnMachine(machine, one, counter)
      const theirs = await runOnOracle(one)
      const apart = differences(ours, theirs)
      if (apart.length > 0) report('differs from @ethereumjs/vm in', apart)
      const builds = differences(ours, traced)
      if (builds.length > 0) report('the traced build differs in', builds)
      countTransaction(coverage, one.forkName, one.transaction.type, ours.valid)
    } catch (error) {
      report('threw', [String(error)])
    }
    if (++done % reportEvery === 0) send({ done: reportEvery })
  }
  send({ done: done % reportEvery, coverage })
}

const startLane = (first: number, onMessage: (message: Message) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = [
      ...process.execArgv,
      fileURLToPath(import.meta.url),
      ...process.argv.slice(2),
      '--lane',
      `${first}`,
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface(child.stdout).on('line', (line) => onMessage(JSON.parse(line)))
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`lane ${first} ended with ${code}`)),
    )
  })

const keepCase = async (index: number): Promise<void> => {
  mkdirSync(corpusFolder, { recursive: true })
  const name = `seed${seed}-case${index}`
  const one = randomCase(seed, index)
  writeFileSync(new URL(`${name}.json`, corpusFolder), corpusEntry(name, one, await runOnOracle(one)))
}

const printCoverage = (coverage: Coverage): void => {
  for (const name of Object.keys(coverage).sort())
    console.log(`${String(coverage[name]).padStart(10)}  ${name}`)
  const expected = [
    ...definedOpcodes.map((op) => `opcode ${opcodeName(op)}`),
    ...precompileAddresses.map((address) => `precompile 0x${address.toString(16)}`),
  ]
  const never = expected.filter((name) => coverage[name] === undefined)
  console.log(never.length === 0 ? 'everything ran' : `never ran: ${never.join(', ')}`)
}

const runAll = async (): Promise<void> => {
  const coverage: Coverage = {}
  const found: number[] = []
  let done = 0
  let reported = Date.now()
  const onMessage = (message: Message): void => {
    if ('difference' in message) {
      console.log(message.difference)
      found.push(message.index)
      return
    }
    done += message.done
    if (message.coverage !== undefined) addCoverage(coverage, message.coverage)
    if (Date.now() - reported < 10_000) return
    reported = Date.now()
    process.stderr.write(`${done} of ${cases} cases, ${found.length} differences\n`)
  }
  await Promise.all(Array.from({ length: workers }, (_, first) => startLane(first, onMessage)))
  for (const index of found) await keepCase(index)
  printCoverage(coverage)
  console.log(`${done} cases, ${found.length} differences (seed ${seed})`)
  if (found.length > 0) process.exitCode = 1
}

if (values.lane === undefined) await runAll()
else await runLane(Number(values.lane), (message) => process.stdout.write(`${JSON.stringify(message)}\n`))
