import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEvm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { readStateTestFile, runStateTest } from '../../../src/evm/stateTest/runStateTest.ts'
import { toGenesisAccounts } from '../../../src/evm/stateTest/testSetup.ts'
import { ethereumTests, ethereumTestsMissing, jsonFiles } from '../officialSuites.ts'
import { TestStore } from './storeState.ts'

/** Folders that create, destroy and refund; all of them are `npm run long -- stateTestsThroughStore`. */
const sample = ['stRefundTest', 'stSStoreTest', 'stCreate2/Create2OOGafterInitCode', 'stEIP150Specific']

test('official state tests have the same roots over the real store', async (context) => {
  const folder = ethereumTests()
  if (folder === undefined) return context.skip(ethereumTestsMissing)
  const files = jsonFiles(join(folder, 'GeneralStateTests')).filter((file) =>
    sample.some((part) => file.includes(`/${part}`)),
  )
  const machine = createEvm(await loadEvmModules(), precompilesAt)
  const store = new TestStore()
  await store.open()
  const failures: string[] = []
  let passed = 0
  for (const named of files.flatMap(readStateTestFile)) {
    const results = await store.with(toGenesisAccounts(named.test.pre), (createWorld) => [
      ...runStateTest(machine, named, createWorld),
    ])
    for (const { pass, name, fork, index, error } of results) {
      if (pass) passed++
      else failures.push(`${name} ${fork}/${index}: ${error}`)
    }
  }
  await store.close()
  expect(failures).toEqual([])
  expect(passed).toBeGreaterThan(500)
})
