import { createNode, type EmbeddedNode } from 'perihelion'
import { createTestClient, custom, parseEther, publicActions, walletActions } from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

// One chain for the file, and a snapshot for each test: what a test did is gone before the next.
const recipient = '0x00000000000000000000000000000000000000aa'

const connect = (node: EmbeddedNode) =>
  createTestClient({ chain: foundry, mode: 'anvil', transport: custom(node.provider) })
    .extend(publicActions)
    .extend(walletActions)

let node: EmbeddedNode
let client: ReturnType<typeof connect>
let snapshot: `0x${string}`

beforeAll(async () => {
  node = await createNode({ listen: false })
  client = connect(node)
  await client.setBalance({ address: recipient, value: parseEther('1') })
})
afterAll(() => node.close())

beforeEach(async () => {
  snapshot = await client.snapshot()
})
afterEach(() => client.revert({ id: snapshot }))

test.each([1, 2])('attempt %d begins with the same balance', async () => {
  const [from] = await client.getAddresses()
  if (from === undefined) throw new Error('the chain has no account')
  await client.sendTransaction({ account: from, to: recipient, value: parseEther('2') })
  expect(await client.getBalance({ address: recipient })).toBe(parseEther('3'))
})

test('time is the test’s to choose', async () => {
  const before = await client.getBlock()
  await client.increaseTime({ seconds: 86_400 })
  await client.mine({ blocks: 1 })
  const after = await client.getBlock()
  expect(after.timestamp - before.timestamp).toBeGreaterThanOrEqual(86_400n)
})
