import { createNode, type EmbeddedNode } from 'perihelion'
import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

// A chain of its own for this file: nothing that another file does can be seen here, and nothing is left behind.
let node: EmbeddedNode

beforeAll(async () => {
  node = await createNode({ listen: false })
})

afterAll(() => node.close())

test('a transfer arrives', async () => {
  const transport = custom(node.provider)
  const wallet = createWalletClient({ transport })
  const client = createPublicClient({ transport })
  const [from] = await wallet.getAddresses()
  if (from === undefined) throw new Error('the chain has no account')
  const to = '0x00000000000000000000000000000000000000aa'
  const hash = await wallet.sendTransaction({ account: from, to, value: parseEther('1'), chain: null })
  const receipt = await client.getTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  expect(await client.getBalance({ address: to })).toBe(parseEther('1'))
})

test('the chain can be read without JSON-RPC too', () => {
  expect(node.chain.head().number).toBe(1)
})
