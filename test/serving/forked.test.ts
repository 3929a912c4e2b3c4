import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { type HeadNotice, Subscriber } from '../support/rpc/subscriber.ts'
import { alice, ServingNode } from './servingNode.ts'

/** A chain that becomes one that is forked from a remote, while processes serve it. */

const holder = '0x00000000000000000000000000000000000abcde'
let remote: TestNode
let node: ServingNode
beforeAll(async () => {
  remote = await startTestNode('--ephemeral', '--chain-id=4242')
  await remote.call('anvil_setBalance', holder, '0x1234')
  await remote.call('evm_mine')
  node = await ServingNode.start(2, ['--ephemeral'])
})
afterAll(async () => {
  await node?.remove()
  await remote?.close()
})

test('processes that start then pass everything on too, and subscribers stay from block to block', async () => {
  const [connection] = await node.connect(1)
  await connection?.call('anvil_reset', { forking: { jsonRpcUrl: remote.http } })
  const [killed = 0] = node.workers
  const spool = join(node.home, 'tmp', `traces-${killed}`)
  mkdirSync(spool, { recursive: true })
  process.kill(killed, 'SIGKILL')
  await eventually(() => node.workers.length === 2 && !node.workers.includes(killed))
  await eventually(() => !existsSync(spool))
  const connections = await node.connect(2)
  for (const fresh of connections) expect(await fresh.call('eth_getBalance', holder, 'latest')).toBe('0x1234')
  const subscriber = await Subscriber.open(node.urls.ws as string)
  const heads = await subscriber.subscribe('newHeads')
  for (let count = 0; count < 3; count++)
    await connections[0]?.call('eth_sendTransaction', { from: alice, to: holder })
  expect(await subscriber.wait<HeadNotice>(heads, 3)).toHaveLength(3)
  subscriber.close()
  for (const fresh of [connection, ...connections]) fresh?.close()
})
