import { afterEach, beforeEach, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Snapshots, and the other ways back. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const nobody = `0x${'77'.repeat(20)}`

let node: TestNode
beforeEach(async () => {
  node = await startTestNode('--ephemeral')
})
afterEach(() => node.close())

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> => node.call<T>(method, ...params)
const number = async (): Promise<number> => Number(await call('eth_blockNumber'))
const balance = (address = nobody): Promise<string> => call('eth_getBalance', address)
const send = (members: Json = {}): Promise<string> =>
  call('eth_sendTransaction', { from: alice, to: nobody, value: '0x1', ...members })
const hashAt = async (at: string): Promise<unknown> =>
  (await call<Json | null>('eth_getBlockByNumber', at, false))?.hash

test('a revert takes back blocks, transactions and changes', async () => {
  await call('anvil_setBalance', nobody, 10)
  const id = await call('evm_snapshot')
  const before = await balance(alice)
  const sent = await send()
  await call('anvil_setBalance', nobody, 99)
  await call('evm_mine')
  expect(await call('evm_revert', id)).toBe(true)
  expect(await number()).toBe(0)
  expect(await balance()).toBe('0xa')
  expect(await balance(alice)).toBe(before)
  expect(await call('eth_getTransactionReceipt', sent)).toBeNull()
  expect(await call('eth_getTransactionCount', alice)).toBe('0x0')
  // The same transaction again.
  await send()
  expect(await balance()).toBe('0xb')
})

test('changes of one height are taken back as far as the snapshot', async () => {
  await call('anvil_setBalance', nobody, 1)
  const first = await call('evm_snapshot')
  await call('anvil_setBalance', nobody, 2)
  const second = await call('evm_snapshot')
  await call('anvil_setBalance', nobody, 3)
  expect(await call('evm_revert', second)).toBe(true)
  expect(await balance()).toBe('0x2')
  await call('anvil_setBalance', nobody, 4)
  expect(await balance()).toBe('0x4')
  expect(await call('evm_revert', first)).toBe(true)
  expect(await balance()).toBe('0x1')
})

test('nested snapshots: an id is gone once it is reverted to, and so are those after it', async () => {
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    ids.push(await call('evm_snapshot'))
    await send()
  }
  expect(ids).toEqual(['0x0', '0x1', '0x2', '0x3'])
  expect(await call('evm_revert', ids[2])).toBe(true)
  expect(await number()).toBe(2)
  expect(await call('evm_revert', ids[2])).toBe(false)
  expect(await call('evm_revert', ids[3])).toBe(false)
  expect(await call('evm_snapshot')).toBe('0x4')
  expect(await call('evm_revert', ids[0])).toBe(true)
  expect(await number()).toBe(0)
  expect(await call('evm_revert', '0x4')).toBe(false)
  expect(await call('evm_revert', 12345)).toBe(false)
})

test('time goes on from the block of the snapshot', async () => {
  await call('evm_mine')
  const { timestamp } = await call<Json>('eth_getBlockByNumber', 'latest', false)
  const id = await call('evm_snapshot')
  await call('evm_increaseTime', 1_000_000)
  await call('evm_mine')
  await call('evm_revert', id)
  await call('evm_mine')
  const after = await call<Json>('eth_getBlockByNumber', 'latest', false)
  expect(Number(after.timestamp) - Number(timestamp)).toBeLessThan(1000)
})

test('what waits in the pool stays there', async () => {
  const id = await call('evm_snapshot')
  await send({ from: bob })
  await call('evm_setAutomine', false)
  const waiting = await send()
  await call('evm_revert', id)
  expect(await call<Json>('eth_getTransactionByHash', waiting)).toMatchObject({ blockNumber: null })
  await call('evm_mine')
  expect(await call<Json>('eth_getTransactionReceipt', waiting)).toMatchObject({ blockNumber: '0x1' })
})

test('a filter goes on after a revert', async () => {
  const filter = await call('eth_newBlockFilter')
  const id = await call('evm_snapshot')
  await call('anvil_mine', 3)
  expect(await call('eth_getFilterChanges', filter)).toHaveLength(3)
  await call('evm_revert', id)
  expect(await call('eth_getFilterChanges', filter)).toEqual([])
  await call('evm_mine')
  expect(await call('eth_getFilterChanges', filter)).toEqual([await hashAt('latest')])
})

test('rollback reverts the newest blocks, and changes of the state with them', async () => {
  for (let i = 0; i < 3; i++) await send()
  await call('anvil_setBalance', nobody, 77)
  await call('anvil_rollback')
  expect(await number()).toBe(2)
  expect(await balance()).toBe('0x2')
  await call('anvil_rollback', 2)
  expect(await number()).toBe(0)
  expect(await node.failure('anvil_rollback', 1)).toMatchObject({ code: -32602 })
})

test.each([
  ['anvil_rollback', 1],
  ['debug_setHead', '0x0'],
])('a snapshot whose changes %s took back cannot be reverted to', async (method, argument) => {
  await call('anvil_setBalance', nobody, 77)
  const taken = await call('evm_snapshot')
  await call('evm_mine')
  await call(method, argument)
  expect(await balance()).toBe('0x0')
  expect(await call('evm_revert', taken)).toBe(false)
  // Also when something else was changed there since.
  await call('anvil_setBalance', nobody, 5)
  expect(await call('evm_revert', taken)).toBe(false)
  expect(await balance()).toBe('0x5')
})

test('a reorg replaces blocks by others', async () => {
  await call('anvil_mine', 5)
  const before = [await hashAt('0x3'), await hashAt('0x4'), await hashAt('0x5')]
  const kept = await hashAt('0x2')
  await call('anvil_reorg', 3, [
    [{ from: alice, to: nobody, value: '0x5' }, 0],
    [{ from: alice, to: nobody, value: '0x6' }, 2],
    [{ from: alice, to: nobody, value: '0x7' }, 2],
  ])
  expect(await number()).toBe(5)
  expect(await hashAt('0x2')).toBe(kept)
  expect([await hashAt('0x3'), await hashAt('0x4'), await hashAt('0x5')]).not.toEqual(before)
  for (const [index, hash] of before.entries())
    expect(await call('eth_getBlockByHash', hash, false), `block ${index + 3}`).toBeNull()
  const counts = await Promise.all(
    ['0x3', '0x4', '0x5'].map((at) => call('eth_getBlockTransactionCountByNumber', at)),
  )
  expect(counts).toEqual(['0x1', '0x0', '0x2'])
  expect(await balance()).toBe('0x12')
  expect(await node.failure('anvil_reorg', 3, [[{ from: alice, to: nobody }, 3]])).toMatchObject({
    code: -32602,
  })
  expect(await node.failure('anvil_reorg', 6, [])).toMatchObject({ code: -32602 })
  expect(await node.failure('anvil_reorg', { depth: 1 })).toMatchObject({
    message: expect.stringContaining('expected a depth, or an object with depth and tx_block_pairs'),
  })
})

test('a reorg takes its options as the parameters themselves', async () => {
  await call('anvil_mine', 2)
  const before = await hashAt('latest')
  const body = { jsonrpc: '2.0', id: 1, method: 'anvil_reorg', params: { depth: 1, tx_block_pairs: [] } }
  expect(await postJson(node.http, JSON.stringify(body))).toContain('"result":null')
  expect(await number()).toBe(2)
  expect(await hashAt('latest')).not.toBe(before)
  expect(await postJson(node.http, JSON.stringify({ ...body, method: 'evm_mine' }))).toContain('-32602')
})

test('a reorg with a transaction that cannot be read changes nothing', async () => {
  await call('anvil_mine', 3)
  const before = await hashAt('latest')
  expect(await node.failure('anvil_reorg', 2, [['0x02c0', 1]])).toMatchObject({ code: -32000 })
  expect(await number()).toBe(3)
  expect(await hashAt('latest')).toBe(before)
})

test.each(['anvil_reset', 'hardhat_reset'])('%s is a fresh chain', async (reset) => {
  const genesis = await hashAt('0x0')
  const id = await call('evm_snapshot')
  await send()
  await call('anvil_setBalance', nobody, 77)
  await call('anvil_impersonateAccount', nobody)
  await call('evm_setAutomine', false)
  await send()
  await call('anvil_setCoinbase', nobody)
  await call('anvil_setBlockTimestampInterval', 7)
  await call('evm_setBlockGasLimit', '0x1c9c380')
  await call(reset)
  expect(await number()).toBe(0)
  expect(await hashAt('latest')).toBe(genesis)
  expect(await balance()).toBe('0x0')
  expect(await call<Json>('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  expect(await call('evm_revert', id)).toBe(false)
  // anvil keeps how blocks are made and who is impersonated; Hardhat returns to the settings of the start.
  const keeps = reset === 'anvil_reset'
  expect(await call('anvil_getAutomine')).toBe(!keeps)
  await call('anvil_setBalance', nobody, '0xde0b6b3a7640000')
  const sent = node.call('eth_sendTransaction', { from: nobody, to: alice, gas: '0x5208' })
  if (keeps) await sent
  else await expect(sent).rejects.toThrow('unknown account')
  const { timestamp: first } = await call<Json>('eth_getBlockByNumber', '0x0', false)
  await call('evm_mine')
  const { miner, gasLimit, timestamp } = await call<Json>('eth_getBlockByNumber', 'latest', false)
  expect([miner === nobody, gasLimit === '0x1c9c380']).toEqual([keeps, keeps])
  if (keeps) expect(Number(timestamp) - Number(first)).toBe(7)
  // Only a remote that is named can be forked; test/fork has what comes then.
  expect(await node.failure('hardhat_reset', { forking: { blockNumber: 1 } })).toMatchObject({ code: -32602 })
})

test('a gas limit that was set stays when blocks are reverted', async () => {
  const limit = '0x1c9c380'
  await call('evm_mine')
  await call('evm_setBlockGasLimit', limit)
  const id = await call('evm_snapshot')
  await call('evm_setBlockGasLimit', '0x989680')
  expect(await call('evm_revert', id)).toBe(true)
  await call('anvil_rollback', 1)
  await call('evm_mine')
  expect(await call<Json>('eth_getBlockByNumber', 'latest', false)).toMatchObject({ gasLimit: limit })
})
