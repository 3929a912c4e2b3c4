// Every case of GeneralStateTests, on all cores: `npm run long -- stateTests [part of a path]`.
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { runFiles } from '../../../src/evm/stateTest/runFiles.ts'
import type { CaseResult } from '../../../src/evm/stateTest/runStateTest.ts'
import { ethereumTests, ethereumTestsMissing, jsonFiles } from '../officialSuites.ts'

/** What the archive holds; a run over all of it that counts fewer has lost some. */
const allCases = 21_442
const reportEvery = 5_000

/** Minutes each: they go first, so that the last thread does not end alone with one of them. */
const longRunning = ['CALLBlake2f_MaxRounds', 'loopMul', 'static_Call50000', 'loopExp']
const isLong = (file: string): boolean => longRunning.some((name) => file.includes(name))

const folder = ethereumTests()
if (folder === undefined) {
  console.log(`skipped: ${ethereumTestsMissing}`)
  process.exit(0)
}
const part = process.argv[2] ?? ''
const found = jsonFiles(join(folder, 'GeneralStateTests')).filter((file) => file.includes(part))
const files = [...found.filter(isLong), ...found.filter((file) => !isLong(file))]
const failures: string[] = []
let passed = 0
let done = 0
let reported = Date.now()

const onFile = (results: readonly CaseResult[], file: string): void => {
  done++
  for (const { pass, name, fork, index, error } of results) {
    if (pass) passed++
    else failures.push(`${relative(folder, file)} ${name} ${fork}/${index}: ${error}`)
  }
  if (Date.now() - reported < reportEvery) return
  reported = Date.now()
  process.stderr.write(`${done} of ${files.length} files, ${passed} passed, ${failures.length} failed\n`)
}

await runFiles(files, { workers: availableParallelism(), onFile })
for (const failure of failures) console.log(failure)
console.log(`${passed} passed, ${failures.length} failed`)
const isWhole = part !== '' || passed + failures.length === allCases
if (!isWhole) console.log(`the archive has ${allCases} cases`)
if (failures.length > 0 || !isWhole) process.exitCode = 1
