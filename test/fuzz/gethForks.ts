// Random transactions at every fork, judged by geth's `evm statetest`: `npm run long -- fuzzForks [--cases N --seed S
// --forks A,B]`, with `evm` on the path or in GETH_EVM. Each case runs here three ways: with code as it is, decoded from
// the first instruction on, and as a node runs it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { findProgram } from '../support/programs/findProgram.ts'
import { type FuzzCase, randomCaseAt } from './cases.ts'
import { corpusEntry } from './corpus.ts'
import { differences } from './outcome.ts'
import { runOnMachine } from './subject.ts'

const allForks =
  'Frontier,Homestead,EIP150,EIP158,Byzantium,Constantinople,ConstantinopleFix,Istanbul,Berlin,London,Merge,Shanghai,Cancun,Prague,Osaka'
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    forks: { type: 'string', default: allForks },
  },
})
const cases = Number(values.cases)
const seed = Number(values.seed)
const batchSize = 500

const evm = findProgram('evm', 'GETH_EVM')
if (evm === undefined) throw new Error('geth’s evm is neither on the path nor named by GETH_EVM')
const modules = await loadEvmModules()
const machine = createEvm(modules, precompilesAt)
const others = {
  'code as it is': createEvm(modules, precompilesAt, { patience: 1_000_000 }),
  'decoded code': createEvm(modules, precompilesAt, { patience: 0 }),
}
const folder = mkdtempSync(join(tmpdir(), 'perihelion-forks-'))

interface Verdict {
  readonly name: string
  readonly pass: boolean
  readonly error?: string
}

const judge = (batch: ReadonlyMap<string, FuzzCase>): Verdict[] => {
  const entries = Array.from(batch, ([name, one]) =>
    JSON.parse(corpusEntry(name, one, runOnMachine(machine, one))),
  )
  const file = join(folder, 'batch.json')
  writeFileSync(file, JSON.stringify(Object.assign({}, ...entries)))
  const output = execFileSync(evm, ['statetest', file], {
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(output.toString())
}

const sum = { differences: 0, succeeded: 0, refused: 0 }
const report = (text: string): void => {
  sum.differences++
  console.log(text)
}
for (const forkName of values.forks.split(',')) {
  sum.succeeded = 0
  sum.refused = 0
  for (let from = 0; from < cases; from += batchSize) {
    const batch = new Map<string, FuzzCase>()
    for (let index = from; index < Math.min(from + batchSize, cases); index++)
      batch.set(String(index), randomCaseAt(forkName, seed, index))
    const verdicts = new Map(judge(batch).map((verdict) => [verdict.name, verdict]))
    for (const [name, one] of batch) {
      const outcome = runOnMachine(machine, one)
      if (outcome.success) sum.succeeded++
      if (!outcome.valid) sum.refused++
      for (const [way, other] of Object.entries(others)) {
        const apart = differences(outcome, runOnMachine(other, one))
        if (apart.length > 0) report(`${forkName} ${name}: ${way} differs in ${apart.join(', ')}`)
      }
      const verdict = verdicts.get(name)
      if (verdict?.pass !== true) report(`${forkName} ${name}: ${verdict?.error ?? 'geth does not answer'}`)
    }
  }
  console.log(`${forkName}: ${cases} cases, ${sum.succeeded} succeeded, ${sum.refused} refused`)
}
rmSync(folder, { recursive: true })
const version = execFileSync(evm, ['--version']).toString().trim()
console.log(`${version}: ${sum.differences} differences (seed ${seed})`)
if (sum.differences > 0) process.exitCode = 1
