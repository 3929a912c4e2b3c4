import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestNode } from '../support/node.ts'
import { type SettingsName, settings } from './cases.ts'
import { compileContracts } from './compile.ts'
import { lineOf, readExpected } from './expected.ts'
import { hardhatNode, perihelionNode } from './nodes.ts'
import { runCases, type Stack } from './runCases.ts'

/** A folder with `hardhat` 2 in node_modules and a configuration; `HARDHAT_FOLDER` names another one. */
const peers = process.env.HARDHAT_FOLDER ?? '/opt/peers/hardhat-toolbox'

test.for(Object.keys(settings) as SettingsName[])(
  "at least as many lines are right as on Hardhat's own network: %s",
  { timeout: 300_000 },
  async (name, ctx) => {
    if (!existsSync(join(peers, 'node_modules/hardhat/package.json')))
      ctx.skip(`Hardhat 2 is not installed in ${peers} (HARDHAT_FOLDER)`)
    const expected = readExpected()
    const compiled = compileContracts(name)
    const theirs = await runCases(await hardhatNode(peers, compiled), compiled)
    const node = await startTestNode('--ephemeral')
    try {
      const ours = await runCases(await perihelionNode(node, compiled), compiled)
      const countRight = (stacks: ReadonlyMap<string, Stack>): number =>
        [...stacks].filter(([key, stack]) => lineOf(stack) === lineOf(expected[key])).length
      const [right, theirRight] = [countRight(ours), countRight(theirs)]
      const same = [...ours].filter(([key, stack]) => lineOf(stack) === lineOf(theirs.get(key))).length
      console.log(`${name}: ${ours.size} cases, ${right} right, Hardhat ${theirRight}, the same line ${same}`)
      expect(right).toBeGreaterThanOrEqual(theirRight)
      // What is not optimized has one line, which both know.
      if (name === 'plain') expect(same / ours.size).toBeGreaterThanOrEqual(0.95)
    } finally {
      await node.close()
    }
  },
)
