import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boxInitCode, storeData } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** debug_storageRangeAt sees what each transaction of a block found. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const slot0 = `0x${'00'.repeat(32)}` as const
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

let node: TestNode
let box: string
let blockHash: string

beforeAll(async () => {
  // One transaction is run again on the main thread; two are more gas than it takes, and go to a worker.
  node = await startTestNode('--json-rpc.inline-gas=20000')
  const send = (request: Json): Promise<string> =>
    node.call('eth_sendTransaction', { from: alice, gas: '0x30d40', ...request })
  const receiptOf = (hash: string): Promise<Json> => node.call('eth_getTransactionReceipt', hash)
  box = (await receiptOf(await send({ data: boxInitCode }))).contractAddress as string
  await node.call('evm_setAutomine', false)
  const hashes = [
    await send({ to: box, data: storeData(1n) }),
    await send({ to: box, data: storeData(0n) }),
    await send({ to: box, data: storeData(3n) }),
  ]
  await node.call('evm_mine')
  const blocks = new Set<string>()
  for (const hash of hashes) blocks.add((await receiptOf(hash)).blockHash as string)
  expect(blocks.size).toBe(1)
  blockHash = [...blocks][0] as string
})
afterAll(() => node.close())

const rangeAt = (index: number, start = '0x', limit = 10): Promise<Json> =>
  node.call('debug_storageRangeAt', blockHash, index, box, start, limit)

test('before each transaction of a block', async () => {
  const entry = (value: bigint) => ({ [keccak256(slot0)]: { key: slot0, value: word(value) } })
  expect(await rangeAt(1)).toEqual({ storage: entry(1n), nextKey: null })
  expect(await rangeAt(2)).toEqual({ storage: {}, nextKey: null })
  expect(node.callWorkers()).toBeGreaterThan(0)
  const { number } = await node.call<{ number: string }>('eth_getBlockByHash', blockHash, false)
  const parent = `0x${(BigInt(number) - 1n).toString(16)}`
  const before = BigInt(await node.call<string>('eth_getStorageAt', box, '0x0', parent))
  expect(await rangeAt(0)).toEqual({ storage: before === 0n ? {} : entry(before), nextKey: null })
  expect(await node.call('eth_getStorageAt', box, '0x0', blockHash)).toBe(word(3n))
})

test('begins where it is told to', async () => {
  const hashed = keccak256(slot0)
  expect(await rangeAt(1, hashed)).toHaveProperty(['storage', hashed])
  expect(await rangeAt(1, `0x${'ff'.repeat(32)}`)).toEqual({ storage: {}, nextKey: null })
})

test('what has no place is an error', async () => {
  expect(await node.failure('debug_storageRangeAt', blockHash, 3, box, '0x', 1)).toMatchObject({
    code: -32000,
    message: `transaction index 3 out of range for block ${blockHash}`,
  })
  expect(await node.failure('debug_storageRangeAt', `0x${'11'.repeat(32)}`, 0, box, '0x', 1)).toMatchObject({
    code: -32000,
    message: 'header not found',
  })
  expect(await node.failure('debug_storageRangeAt', '0x0', 0, box, '0x', 1)).toMatchObject({
    code: -32000,
    message: 'no transaction in genesis',
  })
})
