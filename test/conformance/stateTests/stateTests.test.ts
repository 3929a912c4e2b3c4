import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEvm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { runStateTestFile } from '../../../src/evm/stateTest/runStateTest.ts'
import { slow } from '../../support/slow.ts'
import { ethereumTests, ethereumTestsMissing, jsonFiles } from '../officialSuites.ts'

/** One file in so many, so that every folder of the archive has its share; `npm run long -- stateTests` runs all. */
const everyNth = 8
/** And of `npm test`. */
const everyNthOfFew = 32
/** Each of these takes seconds to minutes. */
const tooLong = /CALLBlake2f_MaxRounds|loopMul|loopExp|Call50000|1MB1024Calldepth/

/** Few cases of the archive are older than Cancun: all files that have one are part of the sample. */
const isOld = (file: string): boolean =>
  /"(Frontier|Homestead|EIP150|EIP158|Byzantium|Constantinople|Istanbul|Berlin|London|Paris)" ?:/.test(
    readFileSync(file, 'utf8'),
  )

describe('GeneralStateTests of ethereum/tests', () => {
  const folder = ethereumTests()

  /** Runs the files that are chosen, and tells how many cases they have. */
  const run = async (isChosen: (file: string, index: number) => boolean): Promise<number> => {
    if (folder === undefined) return 0
    const machine = createEvm(await loadEvmModules(), precompilesAt)
    const files = jsonFiles(join(folder, 'GeneralStateTests')).filter((file) => !tooLong.test(file))
    const failures: string[] = []
    let cases = 0
    for (const file of files.filter(isChosen))
      for (const { pass, name, fork, index, error } of runStateTestFile(machine, file)) {
        cases++
        if (!pass) failures.push(`${relative(folder, file)} ${name} ${fork}/${index}: ${error}`)
      }
    expect(failures).toEqual([])
    return cases
  }

  it('pass in a few files of every kind', async (ctx) => {
    if (folder === undefined) return ctx.skip(ethereumTestsMissing)
    expect(await run((_, index) => index % everyNthOfFew === 0)).toBeGreaterThan(200)
  })

  it('pass in a fixed sample', slow, async (ctx) => {
    if (folder === undefined) return ctx.skip(ethereumTestsMissing)
    expect(await run((file, index) => index % everyNth === 0 || isOld(file))).toBeGreaterThan(2_000)
  })
})
