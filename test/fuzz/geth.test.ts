import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createMachine } from '../../src/evm/machine.ts'
import { loadModules } from '../../src/evm/modules.ts'
import { precompilesAt } from '../../src/evm/precompiles/table.ts'
import { fixtureFile, fixtureLine, gethCases } from './gethFixtures.ts'
import { runOnMachine } from './subject.ts'

describe('random transactions at Prague and Osaka', () => {
  it('leave the state and the logs that geth leaves', async () => {
    const machine = createMachine(await loadModules(), precompilesAt)
    const lines = readFileSync(fixtureFile, 'utf8').trim().split('\n').slice(1)
    expect(lines.length).toBe(5_000)
    const found = gethCases(lines.length).map((numbered) =>
      fixtureLine(numbered, runOnMachine(machine, numbered.one)),
    )
    expect(found.filter((line, index) => line !== lines[index])).toEqual([])
  }, 120_000)
})
