import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMachine } from '../../../src/evm/machine.ts'
import { loadModules } from '../../../src/evm/modules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/table.ts'
import { readStateTestFile, runStateTest } from '../../../src/evm/stateTest/run.ts'
import { genesisOf } from '../../../src/evm/stateTest/setup.ts'
import { archiveMissing, jsonFiles, officialTests } from '../archive.ts'
import { TestStore } from './storeWorld.ts'

/** Folders that create, destroy and refund; all of them are `npm run long -- stateTestsThroughStore`. */
const sample = ['stRefundTest', 'stSStoreTest', 'stCreate2/Create2OOGafterInitCode', 'stEIP150Specific']

test('official state tests have the same roots over the real store', async (context) => {
  const folder = officialTests()
  if (folder === undefined) return context.skip(archiveMissing)
  const files = jsonFiles(join(folder, 'GeneralStateTests')).filter((file) =>
    sample.some((part) => file.includes(`/${part}`)),
  )
  const machine = createMachine(await loadModules(), precompilesAt)
  const store = new TestStore()
  await store.open()
  const failures: string[] = []
  let passed = 0
  for (const named of files.flatMap(readStateTestFile)) {
    const results = await store.with(genesisOf(named.test.pre), (createWorld) => [
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
