import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { runStateTestFile } from '../../src/evm/stateTest/runStateTest.ts'
import { randomCase } from './cases.ts'
import { corpusFolder } from './corpus.ts'
import { runOnOracle } from './oracle.ts'
import { differences } from './outcome.ts'
import { runOnMachine } from './subject.ts'

const files = existsSync(corpusFolder)
  ? readdirSync(corpusFolder).filter((name) => name.endsWith('.json'))
  : []

describe('the fuzzer', () => {
  it.each(files)('has its old difference %s right', async (name) => {
    const machine = createEvm(await loadEvmModules(), precompilesAt)
    const results = runStateTestFile(machine, fileURLToPath(new URL(name, corpusFolder)))
    expect(results.filter(({ pass }) => !pass)).toEqual([])
  })

  it('finds no difference in a few cases', async () => {
    const machine = createEvm(await loadEvmModules(), precompilesAt)
    for (let index = 0; index < 150; index++) {
      const one = randomCase(2, index)
      expect(
        differences(runOnMachine(machine, one), await runOnOracle(one)),
        `case ${index} of seed 2`,
      ).toEqual([])
    }
  })

  it('makes a case again from its seed and index', () => {
    expect(randomCase(3, 14)).toEqual(randomCase(3, 14))
    expect(randomCase(3, 14)).not.toEqual(randomCase(4, 14))
  })
})
