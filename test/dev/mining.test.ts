import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'

/** When blocks are made, and with what values. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const nobody = `0x${'77'.repeat(20)}`

let node: TestNode
beforeEach(async () => {
  node = await startTestNode('--ephemeral')
})
afterEach(() => node.close())

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> => node.call<T>(method, ...params)
const block = (at = 'latest'): Promise<Json> => call<Json>('eth_getBlockByNumber', at, false)
const time = async (at = 'latest'): Promise<number> => Number((await block(at)).timestamp)
const number = async (): Promise<number> => Number(await call('eth_blockNumber'))
const send = (members: Json = {}): Promise<string> =>
  call('eth_sendTransaction', { from: alice, to: nobody, value: '0x1', ...members })

test('blocks are made on request, at an interval of time if that is wanted', async () => {
  expect(await call('evm_mine')).toBe('0x0')
  expect(await number()).toBe(1)
  await call('anvil_mine', '0xa')
  expect(await number()).toBe(11)
  await call('hardhat_mine', 5, 100)
  expect(await number()).toBe(16)
  for (const at of [13, 14, 15, 16])
    expect(await time(`0x${at.toString(16)}`)).toBe((await time(`0x${(at - 1).toString(16)}`)) + 100)
  await call('anvil_mine', 0)
  expect(await number()).toBe(16)
  await call('evm_mine', { blocks: 3, timestamp: (await time()) + 1000 })
  expect(await number()).toBe(19)
})

test('a contract that each block calls and that fails is named, and blocks go on with its code', async () => {
  const withdrawals = '0x00000961ef480eb55e80d19ad83579a64c007002'
  const code = await call('eth_getCode', withdrawals, 'latest')
  await call('anvil_setCode', withdrawals, '0xfe')
  await expect(call('evm_mine')).rejects.toThrow(/the contract of EIP-7002 failed/)
  await call('anvil_setCode', withdrawals, code)
  expect(await call('evm_mine')).toBe('0x0')
  expect(await number()).toBe(1)
})

test('an interval is before each block of anvil, and between those of Hardhat', async () => {
  for (const [method, first] of [
    ['anvil_mine', 100],
    ['hardhat_mine', 3],
  ] as const) {
    const before = await time()
    await call('evm_setNextBlockTimestamp', before + 1000)
    await call('evm_mine')
    await call('evm_increaseTime', 3)
    await call(method, 3, 100)
    const from = method === 'anvil_mine' ? 103 : first
    // The clock goes on while the calls are on their way.
    expect((await time()) - before - 1000 - 200 - from).toBeLessThan(50)
    expect((await time()) - before - 1000 - 200 - from).toBeGreaterThanOrEqual(0)
  }
})

test('a block may have no gas to speak of', async () => {
  await call('evm_setBlockGasLimit', '0x1')
  await call('evm_mine')
  expect(await block()).toMatchObject({ gasLimit: '0x1' })
})

test('a transaction in a block is not dropped: null by the name of anvil, an error by that of Hardhat', async () => {
  const hash = await send()
  expect(await call('anvil_dropTransaction', hash)).toBeNull()
  expect(await node.failure('hardhat_dropTransaction', hash)).toMatchObject({
    code: -32602,
    message: expect.stringContaining('already mined'),
  })
  expect(await call('hardhat_dropTransaction', `0x${'11'.repeat(32)}`)).toBe(false)
})

test('times that no block can have are refused, and blocks at the latest one are made', async () => {
  const far = 2 ** 53 - 1
  for (const [method, ...params] of [
    ['hardhat_mine', 2, far],
    ['anvil_mine', 1000, 2 ** 50],
    ['evm_increaseTime', far],
    ['evm_setNextBlockTimestamp', far],
    ['anvil_setBlockTimestampInterval', far],
    ['evm_mine', far],
    ['evm_mine', { timestamp: far }],
  ] as const)
    expect(await node.failure(method, ...params)).toMatchObject({ code: -32602 })
  expect(await node.failure('evm_setTime', Number.MAX_SAFE_INTEGER * 2)).toMatchObject({ code: -32602 })
  expect(await number()).toBe(0)
  await call('evm_setNextBlockTimestamp', 2 ** 52 - 10)
  await call('evm_mine')
  expect(await node.failure('evm_increaseTime', 11)).toMatchObject({ code: -32602 })
  await call('evm_increaseTime', 10)
  await call('anvil_mine', 3)
  await call('hardhat_mine', 3, 0)
  await call('anvil_setBlockTimestampInterval', 0)
  await send()
  expect(await time()).toBe(2 ** 52)
})

test('many blocks at once are a chain like any other', slow, async () => {
  const filter = await call('eth_newBlockFilter')
  await call('anvil_mine', 300)
  const hashes = await call<string[]>('eth_getFilterChanges', filter)
  expect(hashes).toHaveLength(300)
  let parent: Json | undefined
  for (const hash of hashes.slice(120, 140)) {
    const found = await call<Json>('eth_getBlockByHash', hash, false)
    if (parent !== undefined) {
      expect(found.parentHash).toBe(parent.hash)
      expect(Number(found.timestamp)).toBeGreaterThan(Number(parent.timestamp))
    }
    parent = found
  }
  // The contract of EIP-2935 has the hash of each parent.
  const history = '0x0000f90827f1c53a10cb7a02335b175320002935'
  expect(await call('eth_call', { to: history, data: `0x${(250).toString(16).padStart(64, '0')}` })).toBe(
    hashes[249],
  )
  await send()
  expect(await number()).toBe(301)
})

test('no call makes blocks without end', async () => {
  expect(await node.failure('anvil_mine', 1_000_001)).toMatchObject({ code: -32005 })
  expect(await node.failure('evm_mine', { blocks: Number.MAX_SAFE_INTEGER })).toMatchObject({ code: -32005 })
  expect(await number()).toBe(0)
})

test('without automine transactions wait for a block', async () => {
  expect(await call('hardhat_getAutomine')).toBe(true)
  await call('evm_setAutomine', false)
  expect(await call('anvil_getAutomine')).toBe(false)
  const hashes = [await send(), await send()]
  expect(await number()).toBe(0)
  await call('evm_mine')
  expect((await block()).transactions).toEqual(hashes)
  const waiting = await send()
  await call('evm_setAutomine', true)
  await expect
    .poll(() => call<Json | null>('eth_getTransactionReceipt', waiting))
    .toMatchObject({ blockNumber: '0x2' })
})

test('at an interval blocks come by themselves', slow, async () => {
  await call('anvil_setIntervalMining', 1)
  expect(await call('anvil_getIntervalMining')).toBe(1)
  expect(await call('anvil_getAutomine')).toBe(false)
  await send()
  await expect.poll(number).toBeGreaterThan(1)
  await call('evm_setIntervalMining', 0)
  expect(await call('anvil_getIntervalMining')).toBeNull()
  const before = await number()
  await send()
  expect(await number()).toBe(before)
})

test('what cannot be is named as it was asked for', async () => {
  expect(await node.failure('evm_setIntervalMining', [1000, 2000])).toMatchObject({
    code: -32602,
    message: expect.stringContaining('expected one number of seconds, not a range'),
  })
  for (const method of ['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'])
    expect(await node.failure(method, '0x1')).toMatchObject({
      code: -32602,
      message: `${method} is not supported when EIP-1559 is active`,
    })
})

test('a client that waits for its block is answered when blocks come only on request', async () => {
  await call('evm_setAutomine', false)
  const sent = send()
  await expect.poll(() => call<Json>('txpool_status')).toMatchObject({ pending: '0x1' })
  expect(await sent).toMatch(/^0x/)
})

test('time is moved, set and never goes back', async () => {
  await call('evm_mine')
  const before = await time()
  expect(await call('evm_increaseTime', 1000)).toBeGreaterThanOrEqual(1000)
  await call('evm_mine')
  expect(await time()).toBeGreaterThanOrEqual(before + 1000)
  const next = (await time()) + 5000
  await call('evm_setNextBlockTimestamp', next)
  expect(Number((await block('pending')).timestamp)).toBe(next)
  await call('evm_mine')
  expect(await time()).toBe(next)
  expect(await node.failure('evm_setNextBlockTimestamp', next - 1)).toMatchObject({
    message: expect.stringMatching(/lower than previous block's timestamp/),
  })
  await call('evm_mine')
  expect(await time()).toBeGreaterThan(next)
  await call('evm_setTime', 1)
  await call('evm_mine')
  expect(await time()).toBeGreaterThan(next)
  const far = next + 100_000
  await call('anvil_setTime', far)
  await call('evm_mine')
  expect(await time()).toBeGreaterThanOrEqual(far)
  expect(await time()).toBeLessThan(far + 60)
})

test('an interval of time between blocks holds until it is removed', async () => {
  await call('evm_mine')
  await call('anvil_setBlockTimestampInterval', 7)
  const before = await time()
  await call('anvil_mine', 3)
  expect(await time()).toBe(before + 21)
  expect(await call('anvil_removeBlockTimestampInterval')).toBe(true)
  expect(await call('anvil_removeBlockTimestampInterval')).toBe(false)
})

test('the base fee of the next block is what was set, and the next follows from it', async () => {
  await call('hardhat_setNextBlockBaseFeePerGas', '0x174876e800')
  expect((await block('pending')).baseFeePerGas).toBe('0x174876e800')
  expect(BigInt(await call('eth_gasPrice'))).toBeGreaterThanOrEqual(0x174876e800n)
  const sent = await send()
  expect(await call<Json>('eth_getTransactionReceipt', sent)).toMatchObject({
    status: '0x1',
    blockNumber: '0x1',
  })
  expect((await block()).baseFeePerGas).toBe('0x174876e800')
  await call('evm_mine')
  expect(BigInt((await block()).baseFeePerGas as string)).toBeLessThan(0x174876e800n)
  await call('anvil_setNextBlockBaseFeePerGas', 0)
  await send({ gasPrice: '0x0' })
  expect((await block()).baseFeePerGas).toBe('0x0')
  expect(await call<Json>('perihelion_status')).toMatchObject({ modified: true })
})

test('prevrandao, coinbase and gas limit of the next block are set', async () => {
  const randao = `0x${'12'.repeat(32)}`
  await call('anvil_setNextBlockPrevRandao', randao)
  await call('hardhat_setCoinbase', nobody)
  expect(await call('evm_setBlockGasLimit', '0x1c9c380')).toBe(true)
  await call('evm_mine')
  expect(await block()).toMatchObject({ mixHash: randao, miner: nobody, gasLimit: '0x1c9c380' })
  await call('evm_mine')
  const next = await block()
  expect(next).toMatchObject({ miner: nobody, gasLimit: '0x1c9c380' })
  expect(next.mixHash).not.toBe(randao)
})

test('blocks that are made are given with the output of each transaction', async () => {
  await call('evm_setAutomine', false)
  const hash = await send()
  const blocks = await call<Json[]>('evm_mine_detailed')
  expect(blocks).toMatchObject([{ number: '0x1', transactions: [{ hash, output: '0x' }] }])
})

test('transactions are dropped one by one, by sender, and all', async () => {
  await call('evm_setAutomine', false)
  const first = await send()
  const second = await send()
  expect(await call('anvil_dropTransaction', second)).toBe(second)
  expect(await call('anvil_dropTransaction', second)).toBeNull()
  expect(await call<Json>('txpool_status')).toMatchObject({ pending: '0x1' })
  await call('anvil_removePoolTransactions', alice)
  expect(await call('eth_getTransactionByHash', first)).toBeNull()
  await send()
  await call('hardhat_dropAllTransactions')
  expect(await call<Json>('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

test('blocks are filled by the gas that transactions use, not by what they ask for', async () => {
  await call('evm_setAutomine', false)
  await call('evm_setBlockGasLimit', '0x989680') // 10,000,000
  await call('evm_mine')
  // By what they ask for, no two of them are in one block.
  const gas = '0x895440' // 9,000,000
  for (let index = 0; index < 20; index++) await call('eth_sendTransaction', { from: alice, to: nobody, gas })
  const mined = async (): Promise<number> => {
    await call('evm_mine')
    return (await call<{ transactions: string[] }>('eth_getBlockByNumber', 'latest', false)).transactions
      .length
  }
  // The first tells how much they use.
  expect(await mined()).toBe(1)
  // What is left has to be more than what one asks for: 1,000,000 is used by 47 of them.
  expect(await mined()).toBe(19)
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

test('what has no room in a block waits for the next one', async () => {
  await call('evm_setAutomine', false)
  await call('evm_setBlockGasLimit', '0x1e8480') // 2,000,000
  await call('evm_mine')
  // The first block says that much more is asked for than is used.
  await call('eth_sendTransaction', { from: alice, to: nobody, gas: '0x1e0000' })
  await call('evm_mine')
  // PUSH1 0x00 JUMP: it uses all that it asks for.
  const sent: string[] = []
  for (let index = 0; index < 5; index++)
    sent.push(await call('eth_sendTransaction', { from: alice, gas: '0xf0000', data: '0x600056' }))
  for (let index = 0; index < 3; index++) await call('evm_mine')
  const receipts = await Promise.all(sent.map((hash) => call<Json>('eth_getTransactionReceipt', hash)))
  const start = Number(receipts[0]?.blockNumber)
  expect(receipts.map(({ blockNumber }) => Number(blockNumber) - start)).toEqual([0, 0, 1, 1, 2])
})

test('blocks that are asked for hold what their falling base fee makes payable', async () => {
  await call('evm_setAutomine', false)
  const baseFee = BigInt((await block()).baseFeePerGas as string)
  const price = `0x${(baseFee / 2n).toString(16)}`
  const sent = await send({ maxFeePerGas: price, maxPriorityFeePerGas: '0x0', gas: '0x5208' })
  await call('anvil_mine', 20)
  expect(await number()).toBe(20)
  expect(await call<Json>('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
})

test('the suggested gas price pays the base fee of the next block', async () => {
  await call('evm_setBlockGasLimit', '0x5dc0') // 24,000
  await send({ gas: '0x5208' })
  const next = BigInt((await block('pending')).baseFeePerGas as string)
  expect(next).toBeGreaterThan(BigInt((await block()).baseFeePerGas as string))
  const gasPrice = await call('eth_gasPrice')
  expect(BigInt(gasPrice)).toBeGreaterThanOrEqual(next)
  const sent = await send({ gas: '0x5208', gasPrice })
  expect(await call<Json>('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
})
