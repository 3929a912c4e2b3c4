// The cases of GeneralStateTests over the real state store: `npm run long -- stateTestsThroughStore [part of a path]`.
import { join, relative } from 'node:path'
import { createEvm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { readStateTestFile, runStateTest } from '../../../src/evm/stateTest/runStateTest.ts'
import { toGenesisAccounts } from '../../../src/evm/stateTest/testSetup.ts'
import { ethereumTests, ethereumTestsMissing, jsonFiles } from '../officialSuites.ts'
import { TestStore } from './storeState.ts'

const reportEvery = 10_000

const folder = ethereumTests()
if (folder === undefined) {
  console.log(`skipped: ${ethereumTestsMissing}`)
  process.exit(0)
}
const part = process.argv[2] ?? ''
const files = jsonFiles(join(folder, 'GeneralStateTests')).filter((file) => file.includes(part))
const machine = createEvm(await loadEvmModules(), precompilesAt)
const store = new TestStore()
await store.open()
let passed = 0
let failed = 0
let reported = Date.now()
for (const [done, file] of files.entries()) {
  for (const named of readStateTestFile(file)) {
    const results = await store.with(toGenesisAccounts(named.test.pre), (createWorld) => [
      ...runStateTest(machine, named, createWorld),
    ])
    for (const { pass, name, fork, index, error } of results) {
      if (pass) passed++
      else failed++
      if (!pass) console.log(`${relative(folder, file)} ${name} ${fork}/${index}: ${error}`)
    }
  }
  if (Date.now() - reported > reportEvery) {
    reported = Date.now()
    process.stderr.write(`${done} of ${files.length} files, ${passed} passed, ${failed} failed\n`)
  }
}
await store.close()
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
