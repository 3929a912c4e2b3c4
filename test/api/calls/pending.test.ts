import { getContractAddress, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'

/** Calls on the pending block of a node that makes no block while the test runs. */

const alice: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const nobody = `0x${'77'.repeat(20)}`
const watcher = `0x${'88'.repeat(20)}`
const contract = getContractAddress({ from: alice, nonce: 1n })
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

/** Writes 7 into slot 0 and leaves code behind that returns the slot. */
const initCode = '0x60075f556008601060003960086000f35f545f5260205ff3'
/** Returns the balance of `nobody`. */
const overrides = { [watcher]: { code: `0x73${nobody.slice(2)}315f5260205ff3` } }

let node: TestNode
beforeAll(async () => {
  node = await startTestNode('--block-time=10m')
  await node.call('eth_sendTransaction', { from: alice, to: nobody, value: '0x5' })
  await node.call('eth_sendTransaction', { from: alice, data: initCode, gas: '0x30d40' })
})
afterAll(() => node.close())

test('a call sees what the transactions of the pool would do', async () => {
  expect(await node.call('eth_call', { to: watcher }, 'latest', overrides)).toBe(word(0))
  expect(await node.call('eth_call', { to: watcher }, 'pending', overrides)).toBe(word(5))
  expect(await node.call('eth_call', { to: contract }, 'latest')).toBe('0x')
  expect(await node.call('eth_call', { to: contract }, 'pending')).toBe(word(7))
  expect(await node.call('eth_getCode', contract, 'pending')).toBe('0x5f545f5260205ff3')
})

test('so do estimates, access lists and bundles', async () => {
  const request = { from: bob, to: contract }
  const gas = async (block: string) => BigInt(await node.call<string>('eth_estimateGas', request, block))
  expect(await gas('latest')).toBe(21_000n)
  expect(await gas('pending')).toBeGreaterThan(23_000n)
  const listed = async (block: string) =>
    (await node.call<{ accessList: unknown }>('eth_createAccessList', request, block)).accessList
  expect(await listed('latest')).toEqual([])
  expect(await listed('pending')).toEqual([{ address: contract.toLowerCase(), storageKeys: [word(0)] }])
  const bundles = [{ transactions: [{ to: contract }] }]
  expect(await node.call('eth_callMany', bundles, { blockNumber: 'pending' })).toEqual([[{ value: word(7) }]])
})

test('the pending block is the next one for code too', async () => {
  // Returns the number of the block.
  const numbered = { [watcher]: { code: '0x435f5260205ff3' } }
  expect(await node.call('eth_call', { to: watcher }, 'latest', numbered)).toBe(word(0))
  expect(await node.call('eth_call', { to: watcher }, 'pending', numbered)).toBe(word(1))
})

test('what comes into the pool later is seen as well', async () => {
  await node.call('eth_sendTransaction', { from: bob, to: nobody, value: '0x6' })
  expect(await node.call('eth_call', { to: watcher }, 'pending', overrides)).toBe(word(11))
})
