import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** When a send is answered while each transaction gets a block at once. */

type Json = Record<string, unknown>

const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const gina = '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc'

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.close())

describe('what the next block cannot hold', () => {
  const nonceOf = async (): Promise<number> =>
    Number(await node.call<string>('eth_getTransactionCount', gina))
  const send = (request: Json): Promise<string> =>
    node.call<string>('eth_sendTransaction', { from: gina, to: bob, value: '0x1', ...request })
  const receiptOf = (hash: string): Promise<Json | null> => node.call('eth_getTransactionReceipt', hash)

  test('is answered at once, and later sends of the account go on', async () => {
    const nonce = await nonceOf()
    // It pays less than the base fee, and those behind it wait for it.
    const cheap = await send({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' })
    const behind = await Promise.all([send({}), send({})])
    const afterGap = await send({ nonce: `0x${(nonce + 9).toString(16)}` })
    const dearer = await send({
      nonce: `0x${nonce.toString(16)}`,
      maxFeePerGas: '0x2',
      maxPriorityFeePerGas: '0x2',
    })
    for (const hash of [dearer, ...behind, afterGap]) {
      expect(await node.call('eth_getTransactionByHash', hash)).toMatchObject({ blockNumber: null })
    }
    expect(await node.call('eth_getTransactionByHash', cheap)).toBeNull()
    // Others are not held up.
    expect(await receiptOf(await send({ from: bob, to: gina }))).toMatchObject({ status: '0x1' })
    // A replacement that pays is waited for, and takes those behind it along.
    const paying = await send({
      nonce: `0x${nonce.toString(16)}`,
      maxFeePerGas: '0x12a05f200',
      maxPriorityFeePerGas: '0x3b9aca00',
    })
    for (const hash of [paying, ...behind]) expect(await receiptOf(hash)).toMatchObject({ status: '0x1' })
    expect(await receiptOf(dearer)).toBeNull()
    expect(await nonceOf()).toBe(nonce + 3)
  })

  test('because of the least price of this node is answered at once as well', async () => {
    const strict = await startTestNode('--minimum-gas-prices=5000000000')
    try {
      const request = { from: gina, to: bob, maxFeePerGas: '0x2540be400', maxPriorityFeePerGas: '0x1' }
      const hash = await strict.call<string>('eth_sendTransaction', request)
      expect(await strict.call('eth_getTransactionByHash', hash)).toMatchObject({ blockNumber: null })
      const next = await strict.call<string>('eth_sendTransaction', { from: gina, to: bob })
      expect(await strict.call('eth_getTransactionByHash', next)).toMatchObject({ blockNumber: null })
    } finally {
      await strict.close()
    }
  })
})
