import { type Hex, keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** The pending tag on a node that makes no block while the test runs. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const nobody = `0x${'77'.repeat(20)}`

let node: TestNode
let hashes: string[]

beforeAll(async () => {
  node = await startTestNode('--block-time=10m')
  const send = (request: Json) => node.call<string>('eth_sendTransaction', request)
  hashes = [
    await send({ from: alice, to: nobody, value: '0x5' }),
    await send({ from: alice, to: nobody, value: '0x6' }),
    await send({ from: bob, to: nobody, value: '0x7', gasPrice: '0x59682f00' }),
  ]
})
afterAll(() => node.close())

test('the pending block holds what waits', async () => {
  const block = await node.call<Json>('eth_getBlockByNumber', 'pending', false)
  expect(block).toMatchObject({ number: '0x1', hash: null, nonce: null, miner: null, gasUsed: '0xf618' })
  expect([...(block.transactions as string[])].sort()).toEqual([...hashes].sort())
  const full = await node.call<Json>('eth_getBlockByNumber', 'pending', true)
  expect((full.transactions as Json[]).map(({ hash }) => hash)).toEqual(block.transactions)
  expect(await node.call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x3')
  expect(await node.call('eth_getBlockTransactionCountByNumber', 'latest')).toBe('0x0')
  for (const [index, transaction] of (full.transactions as Json[]).entries()) {
    const at = `0x${index.toString(16)}`
    expect(transaction).toMatchObject({ blockHash: null, blockNumber: null, transactionIndex: null })
    expect(await node.call('eth_getTransactionByBlockNumberAndIndex', 'pending', at)).toEqual(transaction)
    expect(await node.call('eth_getTransactionByHash', transaction.hash)).toEqual(transaction)
    const raw = await node.call<Hex>('eth_getRawTransactionByBlockNumberAndIndex', 'pending', at)
    expect(keccak256(raw)).toBe(transaction.hash)
  }
  expect(await node.call('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x3')).toBeNull()
  expect(await node.call('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x3')).toBe('0x')
})

test('nonces and balances count what waits', async () => {
  expect(await node.call('eth_getTransactionCount', alice, 'pending')).toBe('0x2')
  expect(await node.call('eth_getTransactionCount', alice, 'latest')).toBe('0x0')
  expect(await node.call('eth_getBalance', nobody, 'pending')).toBe('0x12')
  expect(await node.call('eth_getBalance', nobody, 'latest')).toBe('0x0')
  const { tx } = await node.call<{ tx: Json }>('eth_fillTransaction', { from: alice, to: bob })
  expect(tx).toMatchObject({ nonce: '0x2' })
})

test('the lists of the pool', async () => {
  expect(await node.call('txpool_status')).toEqual({ pending: '0x3', queued: '0x0' })
  const { pending } = await node.call<{ pending: Record<string, Json> }>('txpool_content')
  expect(
    Object.keys(pending)
      .map((address) => address.toLowerCase())
      .sort(),
  ).toEqual([bob, alice].sort())
  const own = await node.call<{ pending: Record<string, Json> }>('txpool_contentFrom', alice)
  expect(Object.keys(own.pending)).toEqual(['0', '1'])
  const waiting = await node.call<Json[]>('eth_pendingTransactions')
  expect(waiting.map(({ hash }) => hash)).toEqual(hashes)
})

test('its receipts are there in advance', async () => {
  const receipts = await node.call<Json[]>('eth_getBlockReceipts', 'pending')
  expect(receipts.map(({ transactionHash }) => transactionHash).sort()).toEqual([...hashes].sort())
})
