import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { slow } from '../support/slow.ts'
import { fixtureFile, fixtureLine, gethCase } from './gethFixtures.ts'
import { runOnMachine } from './subject.ts'

/** `geth.ts` goes through all of them, with geth beside. */
const everyNth = 5

describe('random transactions at Prague and Osaka', () => {
  it('leave the state and the logs that geth leaves', slow, async () => {
    const machine = createEvm(await loadEvmModules(), precompilesAt)
    const lines = readFileSync(fixtureFile, 'utf8').trim().split('\n').slice(1)
    expect(lines.length).toBe(5_000)
    for (const line of lines.filter((_, index) => index % everyNth === 0)) {
      const numbered = gethCase(Number(line.split(' ')[0]))
      expect(fixtureLine(numbered, runOnMachine(machine, numbered.one))).toBe(line)
    }
  })
})
