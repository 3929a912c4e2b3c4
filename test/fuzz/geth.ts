// Random transactions at Prague and Osaka, judged by geth's `evm statetest`:
// `npm run long -- recordFuzz [cases]`, with `evm` on the path or in GETH_EVM, compares, and writes what geth confirmed
// to geth.txt.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { findProgram } from '../support/programs/findProgram.ts'
import { corpusEntry } from './corpus.ts'
import { fixtureFile, fixtureLine, gethCases, type NumberedCase } from './gethFixtures.ts'
import { runOnMachine } from './subject.ts'

const batchSize = 250

interface Verdict {
  readonly name: string
  readonly pass: boolean
  readonly error?: string
}

const [count = '5000'] = process.argv.slice(2)
const evm = findProgram('evm', 'GETH_EVM')
if (evm === undefined) throw new Error('geth’s evm is neither on the path nor named by GETH_EVM')
const machine = createEvm(await loadEvmModules(), precompilesAt)
const folder = mkdtempSync(join(tmpdir(), 'perihelion-geth-'))

const judge = (batch: readonly NumberedCase[]): Verdict[] => {
  const entries = batch.map(({ index, one }) =>
    JSON.parse(corpusEntry(String(index), one, runOnMachine(machine, one))),
  )
  const file = join(folder, 'batch.json')
  writeFileSync(file, JSON.stringify(Object.assign({}, ...entries)))
  const output = execFileSync(evm, ['statetest', file], {
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return JSON.parse(output.toString())
}

const all = gethCases(Number(count))
const lines: string[] = []
let differences = 0
for (let from = 0; from < all.length; from += batchSize) {
  const batch = all.slice(from, from + batchSize)
  const verdicts = new Map(judge(batch).map((verdict) => [verdict.name, verdict]))
  for (const numbered of batch) {
    const verdict = verdicts.get(String(numbered.index))
    if (verdict?.pass) {
      lines.push(fixtureLine(numbered, runOnMachine(machine, numbered.one)))
      continue
    }
    differences++
    console.log(
      `case ${numbered.index} (${numbered.one.forkName}): ${verdict?.error ?? 'geth does not answer'}`,
    )
  }
  process.stderr.write(`${Math.min(from + batchSize, all.length)} of ${all.length} cases\n`)
}
rmSync(folder, { recursive: true })
const version = execFileSync(evm, ['--version']).toString().trim()
console.log(`${lines.length} confirmed by ${version}, ${differences} differences`)
if (differences > 0) process.exitCode = 1
else writeFileSync(fixtureFile, `# ${version}: index, input, state root, logs\n${lines.join('\n')}\n`)
