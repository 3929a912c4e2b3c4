import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locatePeer } from '../../../bench/support/peers/locate.ts'
import { chainId } from '../../../bench/support/peers/program.ts'
import { startNode } from '../../../bench/support/peers/runningNode.ts'
import { overHttp } from '../../dev/differential/chain.ts'
import { startTestNode } from '../../support/node.ts'
import { compileContracts } from './compile.ts'
import { type Assertion, Exercise } from './exercise.ts'
import { exerciseAccess } from './scenarios/access.ts'
import { exerciseGovernance } from './scenarios/governance.ts'
import { exerciseProxies } from './scenarios/proxies.ts'
import { exerciseCoin, exerciseFlashAndVault, exerciseItems } from './scenarios/tokens.ts'
import { exerciseForwarder, exerciseUtils } from './scenarios/utils.ts'

/**
 * OpenZeppelin's contracts, with contracts of ours where they are to be inherited, on a node of ours and on the peers that are
 * here: what is known about them holds on each, and everything that can be compared is the same.
 */

/** A folder with the package @openzeppelin/contracts in node_modules; `OPENZEPPELIN_FOLDER` names another one. */
const folder =
  process.env.OPENZEPPELIN_FOLDER ?? join(process.env.BENCH_PEERS ?? '/opt/peers', 'openzeppelin')
const modules = join(folder, 'node_modules')
const isMissing = !existsSync(join(modules, '@openzeppelin/contracts/package.json'))

const scenarios = [
  exerciseCoin,
  exerciseFlashAndVault,
  exerciseItems,
  exerciseUtils,
  exerciseForwarder,
  exerciseProxies,
  exerciseAccess,
  exerciseGovernance,
]

if (isMissing)
  console.log(`skipped: @openzeppelin/contracts is not installed in ${folder} (OPENZEPPELIN_FOLDER)`)

describe.skipIf(isMissing)("OpenZeppelin's contracts", () => {
  let artifacts: ReturnType<typeof compileContracts>
  let ours: readonly Assertion[]
  const closers: (() => Promise<void>)[] = []

  const exercise = async (url: string): Promise<readonly Assertion[]> => {
    const send = overHttp(url)
    const run = await Exercise.begin(artifacts, send)
    for (const scenario of scenarios) await scenario(run)
    return run.assertions
  }

  beforeAll(async () => {
    artifacts = compileContracts(modules)
    const node = await startTestNode('--ephemeral', `--chain-id=${chainId}`)
    closers.push(() => node.close())
    ours = await exercise(node.http)
  }, 300_000)
  afterAll(async () => {
    for (const close of closers.reverse()) await close()
  })

  test('do what they are known to do', () => {
    expect(ours.length).toBeGreaterThanOrEqual(200)
    expect(ours.map(({ what, actual }) => [what, actual])).toEqual(
      ours.map(({ what, expected }) => [what, expected]),
    )
  })

  test.for(['anvil', 'hardhat'])('do the same on %s', { timeout: 300_000 }, async (name, ctx) => {
    if (locatePeer(name) === undefined) ctx.skip(`there is no ${name} (BENCH_PEERS)`)
    const peer = await startNode(name)
    closers.push(() => peer.stop())
    const theirs = await exercise(`http://127.0.0.1:${peer.port}`)
    expect(theirs.length).toBe(ours.length)
    for (const [index, assertion] of ours.entries()) expect(theirs[index]).toEqual(assertion)
  })
})
