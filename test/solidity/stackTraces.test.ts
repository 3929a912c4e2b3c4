import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../architecture/programFiles.ts'
import { startTestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import type { SettingsName } from './cases.ts'
import { compileContracts } from './compile.ts'
import { perihelionNode } from './nodes.ts'
import { runCases, type Stack } from './runCases.ts'

/** Where each case fails, as its source says; Hardhat 2.29 says the same of what is not optimized, but for four of them. */
const expected: Readonly<Record<string, Stack>> = JSON.parse(
  readFileSync(join(root, 'test/solidity/expected.json'), 'utf8'),
)

/** The cases of which the compiler does not keep the line. */
const unknown: Readonly<Record<SettingsName, readonly string[]>> = {
  plain: [],
  optimized: ['a division by zero', 'a call of no contract', 'a call with less data than expected'],
  'through Yul': [
    'a power',
    'revert in assembly',
    'invalid in assembly',
    'a call that is reverted by a fallback',
    'a fallback function',
  ],
  'through Yul, optimized': [],
}

test.each(['plain', 'optimized', 'through Yul'] as const)(
  'the line of every failure: %s',
  slow,
  async (name) => {
    const compiled = compileContracts(name)
    const node = await startTestNode('--ephemeral')
    try {
      const stacks = await runCases(await perihelionNode(node, compiled), compiled)
      const wrong = [...stacks].filter(([key, stack]) => lineOf(stack) !== lineOf(expected[key]))
      expect(wrong.map(([key]) => key)).toEqual(unknown[name])
      // Whole stacks are those of the source where nothing is inlined.
      if (name === 'plain') expect(Object.fromEntries(stacks)).toEqual(expected)
    } finally {
      await node.close()
    }
  },
)

const lineOf = (stack: Stack | undefined): string | undefined => stack?.[0]?.split(':').at(-1)
