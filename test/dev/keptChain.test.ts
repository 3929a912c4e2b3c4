import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startNodeAt, type TestNode } from '../support/node.ts'
import { temporaryHome } from '../support/testServer.ts'

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const purse = `0x${'b0'.repeat(20)}`
/** Sends the whole balance to the caller. */
const purseCode = '0x5f5f5f5f47335af100'

let home: string
let node: TestNode
beforeEach(async () => {
  home = temporaryHome()
  node = await startNodeAt(home)
})
afterEach(async () => {
  await node.close()
  rmSync(home, { recursive: true, force: true })
})

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> => node.call<T>(method, ...params)

test('a transaction whose account its own block emptied waits until it can be paid', async () => {
  await call('anvil_setCode', purse, purseCode)
  await call('anvil_setCode', alice, `0xef0100${purse.slice(2)}`)
  await call('evm_setAutomine', false)
  const fees = (gwei: bigint) => ({
    maxPriorityFeePerGas: `0x${(gwei * 10n ** 9n).toString(16)}`,
    maxFeePerGas: `0x${(100n * 10n ** 9n).toString(16)}`,
  })
  await call('eth_sendTransaction', { from: bob, to: alice, gas: '0x186a0', ...fees(50n) })
  const hash = await call('eth_sendTransaction', { from: alice, to: bob, gas: '0x15f90', ...fees(1n) })
  await call('evm_mine')
  expect(await call('eth_getBalance', alice, 'latest')).toBe('0x0')
  expect(await call<Json>('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: null })
  await call('anvil_setBalance', alice, '0xde0b6b3a7640000')
  await call('evm_mine')
  await call('evm_mine')
  expect(await call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
})

test('what would break a chain that is kept is refused there', async () => {
  await call('eth_sendTransaction', { from: alice, to: bob, value: '0x1' })
  expect(await node.failure('anvil_setNonce', alice, 0)).toMatchObject({ code: -32000 })
  expect(await node.failure('evm_setBlockGasLimit', '0x1')).toMatchObject({ code: -32004 })
  expect(await node.failure('anvil_setRpcUrl', 'http://127.0.0.1:1')).toMatchObject({ code: -32004 })
  expect(await node.failure('anvil_setChainId', 5)).toMatchObject({ code: -32004 })
  const dump = await call('anvil_dumpState')
  await call('anvil_mine', 3)
  await call('anvil_loadState', dump)
  expect(await call('eth_blockNumber')).toBe('0x4')
})

test('a transaction that a set nonce made stale stays away after a restart, also when the nonce is set back', async () => {
  await call('evm_setAutomine', false)
  const send = (gasPrice: string) =>
    call('eth_sendTransaction', { from: alice, to: bob, value: '0x1', gas: '0x5208', gasPrice })
  const old = await send('0x4a817c800')
  await call('anvil_setNonce', alice, 5)
  await call('anvil_setNonce', alice, 0)
  const newer = await send('0x2540be400')
  await node.close()
  node = await startNodeAt(home)
  expect(await call<Json | null>('eth_getTransactionByHash', old)).toBeNull()
  await call('evm_mine')
  expect(await call<Json>('eth_getTransactionReceipt', newer)).toMatchObject({ status: '0x1' })
})
