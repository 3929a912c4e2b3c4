import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** A chain that is not kept gets another chain id, as anvil's does. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const teller = `0x${'c1'.repeat(20)}`
/** Returns the chain id. */
const tellerCode = '0x465f5260205ff3'

let node: TestNode
beforeEach(async () => {
  node = await startTestNode('--ephemeral')
})
afterEach(() => node.close())

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> => node.call<T>(method, ...params)
const transfer = { from: alice, to: bob, value: '0x1' }
const signed = (chainId: number, nonce: number) =>
  privateKeyToAccount(key).signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: bob,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
  })

test('every answer, signature and execution follows the new id', async () => {
  await call('anvil_setCode', teller, tellerCode)
  const before = await call('eth_sendTransaction', transfer)
  expect(await call('anvil_setChainId', 5)).toBeNull()
  expect(await call('eth_chainId')).toBe('0x5')
  expect(await call('net_version')).toBe('5')
  expect(await call<Json>('anvil_nodeInfo')).toMatchObject({ environment: { chainId: 5 } })
  expect(await call('eth_call', { to: teller }, 'latest')).toBe(`0x${'5'.padStart(64, '0')}`)
  expect(await node.failure('eth_sendRawTransaction', await signed(31_337, 1))).toMatchObject({
    code: -32000,
  })
  expect(await node.failure('eth_sendTransaction', { ...transfer, chainId: '0x7a69' })).toMatchObject({
    code: -32000,
  })
  const raw = await call('eth_sendRawTransaction', await signed(5, 1))
  const sent = await call('eth_sendTransaction', { ...transfer, chainId: '0x5' })
  for (const hash of [raw, sent]) {
    expect(await call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect(await call<Json>('eth_getTransactionByHash', hash)).toMatchObject({ chainId: '0x5' })
  }
  const told = await call('eth_sendTransaction', { from: alice, to: teller })
  expect(await call<Json>('debug_traceTransaction', told)).toMatchObject({
    returnValue: expect.stringMatching(/^(0x)?0{63}5$/),
  })
  // Blocks of before are executed again with the id that they were made with.
  expect(await call<Json>('debug_traceTransaction', before, { tracer: 'callTracer' })).toMatchObject({
    type: 'CALL',
    gasUsed: '0x5208',
  })
})

test('what waits with the old id is not in a block', async () => {
  await call('evm_setAutomine', false)
  const old = await call('eth_sendTransaction', transfer)
  await call('anvil_setChainId', '0x5')
  await call('evm_mine')
  expect(await call('eth_getTransactionReceipt', old)).toBeNull()
  const next = await call('eth_sendTransaction', transfer)
  await call('evm_mine')
  expect(await call<Json>('eth_getTransactionReceipt', next)).toMatchObject({ status: '0x1' })
})

test('the id stays through anvil_reset and a revert, and hardhat_reset takes that of the start', async () => {
  const snapshot = await call('evm_snapshot')
  await call('anvil_setChainId', 5)
  expect(await call('evm_revert', snapshot)).toBe(true)
  expect(await call('eth_chainId')).toBe('0x5')
  await call('anvil_reset')
  expect(await call('eth_chainId')).toBe('0x5')
  await call('hardhat_reset')
  expect(await call('eth_chainId')).toBe('0x7a69')
  await call('eth_sendTransaction', { ...transfer, chainId: '0x7a69' })
})

test('an id that no chain can have is refused', async () => {
  for (const id of [0, `0x1${'0'.repeat(16)}`])
    expect(await node.failure('anvil_setChainId', id)).toMatchObject({ code: -32602 })
  expect(await call('eth_chainId')).toBe('0x7a69')
})
