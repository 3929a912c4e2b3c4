import { createTestClient, type Hex, http, publicActions, walletActions } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { boxCode } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Every action of viem's test client, as for anvil, Hardhat and ganache. */

const alice = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const nobody = `0x${'77'.repeat(20)}` as Hex
const slot = `0x${'00'.repeat(32)}` as Hex
const one = `0x${'00'.repeat(31)}01` as Hex

let node: TestNode
beforeEach(async () => {
  node = await startTestNode('--ephemeral')
})
afterEach(() => node.close())

const clientFor = (mode: 'anvil' | 'hardhat' | 'ganache') =>
  createTestClient({ chain: foundry, mode, transport: http(node.http) })
    .extend(publicActions)
    .extend(walletActions)

describe.each(['anvil', 'hardhat'] as const)('as %s', (mode) => {
  test('state', async () => {
    const client = clientFor(mode)
    await client.setBalance({ address: nobody, value: 77n })
    expect(await client.getBalance({ address: nobody })).toBe(77n)
    await client.setCode({ address: nobody, bytecode: boxCode as Hex })
    expect(await client.getCode({ address: nobody })).toBe(boxCode)
    await client.setNonce({ address: nobody, nonce: 42 })
    expect(await client.getTransactionCount({ address: nobody })).toBe(42)
    await client.setStorageAt({ address: nobody, index: 0, value: one })
    expect(await client.getStorageAt({ address: nobody, slot })).toBe(one)
  })

  test('mining and time', async () => {
    const client = clientFor(mode)
    await client.mine({ blocks: 3 })
    await client.mine({ blocks: 2, interval: 10 })
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(5n)
    await client.setAutomine(false)
    if (mode === 'anvil') expect(await client.getAutomine()).toBe(false)
    await client.setAutomine(true)
    await client.setIntervalMining({ interval: 0 })
    await client.setAutomine(true)
    const { timestamp } = await client.getBlock()
    await client.increaseTime({ seconds: 1000 })
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp + 1000n)
    await client.setNextBlockTimestamp({ timestamp: timestamp + 5000n })
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).timestamp).toBe(timestamp + 5000n)
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 5n })
    await client.mine({ blocks: 1 })
    expect((await client.getBlock()).baseFeePerGas).toBe(5n)
    await client.setBlockGasLimit({ gasLimit: 30_000_000n })
    await client.setCoinbase({ address: nobody })
    await client.mine({ blocks: 1 })
    expect(await client.getBlock()).toMatchObject({ gasLimit: 30_000_000n, miner: nobody })
    await client.setLoggingEnabled(false)
    await client.setLoggingEnabled(true)
    await expect(client.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow(/EIP-1559/)
  })

  test('snapshots and impersonation', async () => {
    const client = clientFor(mode)
    const id = await client.snapshot()
    await client.setBalance({ address: nobody, value: 10n ** 18n })
    await client.impersonateAccount({ address: nobody })
    const hash = await client.sendTransaction({ account: nobody, to: alice, value: 5n })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ from: nobody, status: 'success' })
    await client.stopImpersonatingAccount({ address: nobody })
    await client.revert({ id })
    expect(await client.getBalance({ address: nobody })).toBe(0n)
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
  })

  test('the pool', async () => {
    const client = clientFor(mode)
    await client.setAutomine(false)
    const hash = await client.sendTransaction({ account: alice, to: nobody, value: 5n })
    expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 0 })
    expect(Object.keys((await client.getTxpoolContent()).pending)).toHaveLength(1)
    expect(Object.keys((await client.inspectTxpool()).pending)).toHaveLength(1)
    await client.dropTransaction({ hash })
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
    await client.sendUnsignedTransaction({ from: alice, to: nobody, value: 5n })
    await client.mine({ blocks: 1 })
    expect(await client.getBalance({ address: nobody })).toBe(5n)
    await client.reset()
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
  })
})

test('what anvil alone has', async () => {
  const client = clientFor('anvil')
  await client.setBlockTimestampInterval({ interval: 9 })
  await client.mine({ blocks: 2 })
  const { timestamp, parentHash } = await client.getBlock()
  expect((await client.getBlock({ blockHash: parentHash })).timestamp).toBe(timestamp - 9n)
  await client.removeBlockTimestampInterval()
  await client.setAutomine(false)
  await client.sendTransaction({ account: alice, to: nobody, value: 5n })
  await client.request({ method: 'anvil_dropAllTransactions' } as never)
  const state = await client.dumpState()
  await client.loadState({ state })
  await client.setRpcUrl('http://127.0.0.1:1')
})
