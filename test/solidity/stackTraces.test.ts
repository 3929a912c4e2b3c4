import { expect, test } from 'vitest'
import { startTestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import type { SettingsName } from './cases.ts'
import { compileContracts } from './compile.ts'
import { lineOf, readExpected } from './expected.ts'
import { perihelionNode } from './nodes.ts'
import { runCases } from './runCases.ts'

const expected = readExpected()

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
