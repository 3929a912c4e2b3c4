import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPatchedBuild, type PatchedBuild } from '../support/programs/patchedBuild.ts'
import { slow } from '../support/slow.ts'
import { Agreement } from './agreement.ts'
import { describeNetwork } from './describeNetwork.ts'
import { heightOf, waitForHeight } from './rpcHelpers.ts'
import { mainFile, type Network, type StartedNode, startHomes, writeHomes } from './testnet.ts'

/** A build whose application throws a die for the state root, from a height on at which its network runs. */
const makeRandomBuild = (): PatchedBuild =>
  createPatchedBuild({
    name: 'random',
    pattern: /outcome, prepared\.root\)/,
    replacement:
      'outcome, number > 4 && Math.random() < 0.5 ? prepared.root.map((byte) => byte ^ 1) : prepared.root)',
  })

describeNetwork('a network in which one application is not deterministic', slow, () => {
  let build: PatchedBuild | undefined
  let network: Network & { readonly nodes: readonly StartedNode[] }

  beforeAll(async () => {
    const random = makeRandomBuild()
    build = random
    const { folder, homes } = await writeHomes(4)
    network = await startHomes(folder, homes, (index) => (index === 3 ? random.mainFile : mainFile))
  })
  afterAll(async () => {
    await network?.stop()
    build?.remove()
  })

  it('the one ends with the reason, and the others go on', async () => {
    const odd = network.nodes[3] as StartedNode
    const others = network.nodes.slice(0, 3)
    if (odd.child.exitCode === null) await once(odd.child, 'close')
    expect(odd.child.exitCode).toBe(76)
    expect(odd.errors()).toMatch(/wrong Block\.Header\.AppHash/)
    expect(odd.errors()).toContain(
      'This node worked out another state than the validators that decided the block',
    )
    const height = await heightOf(others[0] as StartedNode)
    for (const node of others) await waitForHeight(node, height + 3)
    await new Agreement(others).check()
  })
})
