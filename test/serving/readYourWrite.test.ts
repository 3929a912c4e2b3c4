import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPatchedBuild } from '../support/programs/patchedBuild.ts'
import { slow } from '../support/slow.ts'
import { deployCounter, findStaleReads } from './readYourWrite.ts'
import { type Connection, ServingNode } from './servingNode.ts'

const rounds = Number(process.env.SERVING_ROUNDS ?? 20)

describe('who has seen a block on one connection sees it on every other', () => {
  let node: ServingNode
  let connections: readonly Connection[]
  beforeAll(async () => {
    node = await ServingNode.start(2)
    connections = await node.connect(2)
  })
  afterAll(async () => {
    for (const connection of connections) connection.close()
    await node.remove()
  })

  test('while all processes are busy', async () => {
    const contract = await deployCounter(connections[0] as Connection)
    let isDone = false
    const batch = Array.from({ length: 20 }, (_, id) => ({
      ...{ jsonrpc: '2.0', id, method: 'eth_call', params: [{ to: contract, data: '0x01' }, 'latest'] },
    }))
    const load = (await node.connect(1)).map(async (connection) => {
      while (!isDone) await connection.post(JSON.stringify(batch))
      connection.close()
    })
    const stale = await findStaleReads(connections, contract, rounds)
    isDone = true
    await Promise.all(load)
    expect(stale).toEqual([])
  })
})

test('a process that learns of heads late would be found', slow, async () => {
  const build = createPatchedBuild({
    name: 'late-heads',
    pattern: /head = this\.#dependencies\.heads\.next\(\);/,
    replacement: `setTimeout(() => {
      const late = this.#dependencies.heads.next();
      if (late !== void 0) this.#take(late);
    }, 50);
    head = void 0;`,
  })
  const node = await ServingNode.start(2, [], build.mainFile)
  try {
    const connections = await node.connect(1)
    const contract = await deployCounter(connections[0] as Connection)
    // A round finds it when the first connection that it asks is the main process's, one in three: 40 leave nothing to chance.
    // An error about a block that another connection has shown is one, too.
    const isFound = findStaleReads(connections, contract, 40).then(
      (stale) => stale.length > 0,
      () => true,
    )
    expect(await isFound).toBe(true)
    for (const connection of connections) connection.close()
  } finally {
    await node.remove()
    build.remove()
  }
})
