import { afterEach, beforeEach, expect, test } from 'vitest'
import { boxCode, boxInitCode, storeData } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Changes of the state from outside a block. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const nobody = `0x${'77'.repeat(20)}`
const box = `0x${'b0'.repeat(20)}`
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

let node: TestNode
beforeEach(async () => {
  node = await startTestNode('--ephemeral')
})
afterEach(() => node.close())

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> => node.call<T>(method, ...params)
const headHash = async (): Promise<string> =>
  (await call<Json>('eth_getBlockByNumber', 'latest', false)).hash as string

test('the head answers the change by tag, number and hash; a later head leaves it as it was', async () => {
  await call('evm_mine')
  const hash = await headHash()
  await call('anvil_setBalance', nobody, 1234)
  for (const at of ['latest', 'pending', '0x1', { blockHash: hash }, hash])
    expect(await call('eth_getBalance', nobody, at)).toBe('0x4d2')
  expect(await call('eth_getBalance', nobody, '0x0')).toBe('0x0')
  expect(await call('eth_blockNumber')).toBe('0x1')

  await call('evm_mine')
  expect(await call('eth_getBalance', nobody, '0x1')).toBe('0x0')
  expect(await call('eth_getBalance', nobody, hash)).toBe('0x0')
  for (const at of ['latest', '0x2']) expect(await call('eth_getBalance', nobody, at)).toBe('0x4d2')
})

test('a balance in decimal digits is for anvil’s name alone', async () => {
  await call('anvil_setBalance', nobody, '123')
  expect(await call('eth_getBalance', nobody)).toBe('0x7b')
  expect(await node.failure('hardhat_setBalance', nobody, '124')).toMatchObject({
    code: -32602,
    message: expect.stringContaining('expected a whole number or a QUANTITY'),
  })
  expect(await call('eth_getBalance', nobody)).toBe('0x7b')
  await call('hardhat_setBalance', nobody, '0x7c')
  expect(await call('eth_getBalance', nobody)).toBe('0x7c')
})

test('balance, nonce, code and storage are set one by one', async () => {
  await call('anvil_setCode', box, boxCode)
  expect(await call('eth_getCode', box)).toBe(boxCode)
  await call('hardhat_setStorageAt', box, '0x0', word(7n))
  expect(await call('eth_call', { to: box })).toBe(word(7n))
  await call('anvil_setStorageAt', box, 0, '0x8')
  expect(await call('eth_call', { to: box })).toBe(word(8n))
  expect(await call('eth_getStorageAt', box, '0x0', 'latest')).toBe(word(8n))
  await call('hardhat_setNonce', box, '0x9')
  expect(await call('eth_getTransactionCount', box)).toBe('0x9')
  await call('anvil_addBalance', box, '0x10')
  await call('anvil_addBalance', box, 16)
  expect(await call('eth_getBalance', box)).toBe('0x20')
  // A transaction sees all of it, and what it changes comes on top.
  const sent = await call('eth_sendTransaction', { from: alice, to: box, data: storeData(99n) })
  expect(await call<Json>('eth_getTransactionReceipt', sent)).toMatchObject({
    status: '0x1',
    blockNumber: '0x1',
  })
  expect(await call('eth_getStorageAt', box, '0x0', 'latest')).toBe(word(99n))
  expect(await call('eth_getBalance', box)).toBe('0x20')
  expect(await call('eth_getCode', box, '0x0')).toBe('0x')
})

test('balances that are added at the same time add up, to the most that there can be', async () => {
  // A chain that is kept has to wait for the disk.
  const kept = await startTestNode()
  try {
    await Promise.all(Array.from({ length: 16 }, () => kept.call('anvil_addBalance', nobody, '0x10')))
    expect(await kept.call('eth_getBalance', nobody)).toBe('0x100')
    await kept.call('anvil_addBalance', nobody, word(2n ** 256n - 1n))
    expect(await kept.call('eth_getBalance', nobody)).toBe(word(2n ** 256n - 1n))
  } finally {
    await kept.close()
  }
})

test('traces of the next block begin from the changed state, and its root holds it', async () => {
  await call('anvil_setCode', box, boxCode)
  await call('anvil_setStorageAt', box, '0x0', word(5n))
  const sent = await call('eth_sendTransaction', { from: alice, to: box, data: storeData(6n) })
  await call('evm_mine')
  const trace = await call<Json>('debug_traceTransaction', sent, {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true },
  })
  expect(trace).toMatchObject({
    pre: { [box]: { storage: { [word(0n)]: word(5n) } } },
    post: { [box]: { storage: { [word(0n)]: word(6n) } } },
  })
  const proof = await call<Json>('eth_getProof', box, ['0x0'], '0x1')
  expect(proof.storageProof).toMatchObject([{ value: '0x6' }])
})

test('a call at the block after a change, before its transactions, sees the change', async () => {
  await call('anvil_setCode', box, boxCode)
  await call('anvil_setStorageAt', box, '0x0', word(5n))
  await call('eth_sendTransaction', { from: alice, to: box, data: storeData(6n) })
  await call('evm_mine')
  const bundle = [{ transactions: [{ to: box }] }]
  const before = await call<{ value: string }[][]>('eth_callMany', bundle, {
    blockNumber: '0x1',
    transactionIndex: 0,
  })
  expect(before).toEqual([[{ value: word(5n) }]])
})

test('a changed head proves nothing until a block is made', async () => {
  await call('anvil_setBalance', nobody, 1)
  expect(await node.failure('eth_getProof', nobody, [], 'latest')).toMatchObject({ code: -32004 })
  await call('evm_mine')
  expect(await call<Json>('eth_getProof', nobody, [], 'latest')).toMatchObject({ balance: '0x1' })
  expect(await call<Json>('eth_getProof', nobody, [], '0x0')).toMatchObject({ balance: '0x0' })
})

test('the pool knows of a change at once', async () => {
  await call('anvil_setBalance', alice, 0)
  expect(
    await node.failure('eth_sendTransaction', { from: alice, to: nobody, value: '0x1', gas: '0x5208' }),
  ).toMatchObject({
    message: expect.stringMatching(/insufficient funds/),
  })
  await call('anvil_setBalance', alice, '0xde0b6b3a7640000')
  await call('anvil_setNonce', alice, 5)
  const sent = await call('eth_sendTransaction', { from: alice, to: nobody, value: '0x1' })
  expect(await call<Json>('eth_getTransactionByHash', sent)).toMatchObject({
    nonce: '0x5',
    blockNumber: '0x1',
  })
})

test('a nonce is set back, and used again', async () => {
  const sent = () => call('eth_sendTransaction', { from: alice, to: nobody, value: '0x1' })
  const first = await sent()
  await call('anvil_setNonce', alice, 0)
  expect(await call('eth_getTransactionCount', alice)).toBe('0x0')
  await call('anvil_setNonce', nobody, 7)
  await sent()
  await call('anvil_setNonce', alice, 0)
  // The very same transaction, in another block.
  const options = { from: alice, to: nobody, value: '0x1', gas: '0x5208', gasPrice: '0x77359400' }
  const twice = await call('eth_sendTransaction', options)
  await call('anvil_setNonce', alice, 0)
  expect(await call('eth_sendTransaction', options)).toBe(twice)
  expect(await call('eth_blockNumber')).toBe('0x4')
  expect(await call('eth_getBalance', nobody)).toBe('0x4')
  expect(await call<Json>('eth_getTransactionByHash', twice)).toMatchObject({ blockNumber: '0x4' })
  expect(await call<Json>('eth_getTransactionByHash', first)).toMatchObject({ blockNumber: '0x1' })
  // Going back leaves the one that is still there.
  await call('anvil_rollback', 1)
  expect(await call('eth_getBalance', nobody)).toBe('0x3')
  // What the block was when it was made.
  expect(await call('eth_getTransactionCount', alice)).toBe('0x1')
  await call('anvil_mine', 2)
  // By Hardhat's name it is refused, as there.
  await call('hardhat_setNonce', alice, 9)
  expect(await node.failure('hardhat_setNonce', alice, 8)).toMatchObject({
    code: -32000,
    message: 'New nonce (8) must not be smaller than the existing nonce (9)',
  })
})

test('the chain is marked, until the change is taken back', async () => {
  expect(await call<Json>('perihelion_status')).toMatchObject({ modified: false })
  const id = await call('evm_snapshot')
  await call('anvil_setBalance', nobody, 1)
  await call('evm_mine')
  expect(await call<Json>('perihelion_status')).toMatchObject({ modified: true })
  await call('evm_revert', id)
  expect(await call<Json>('perihelion_status')).toMatchObject({ modified: false })
})

test('lists of accounts and slots have the change', async () => {
  await call('anvil_setBalance', nobody, 77)
  await call('anvil_setStorageAt', box, '0x1', word(3n))
  const { accounts } = await call<{ accounts: Record<string, Json> }>(
    'debug_accountRange',
    'latest',
    word(0n),
    256,
    true,
    true,
    false,
  )
  const found = Object.values(accounts).find(({ address }) => address === nobody)
  expect(found).toMatchObject({ balance: '77' })
})

test.each([
  ['a JSON number', 255],
  ['a QUANTITY', '0xff'],
  ['leading zeros', '0x00ff'],
  ['decimal digits', '255'],
])('numbers are taken as %s', async (_, value) => {
  await call('anvil_setBalance', nobody, value)
  expect(await call('eth_getBalance', nobody)).toBe('0xff')
})

test.each([[-1], ['abc'], ['0x'], [1.5], [null], [{}], [`0x1${'0'.repeat(64)}`]])(
  'the number %j is refused',
  async (value) => {
    expect(await node.failure('anvil_setBalance', nobody, value)).toMatchObject({ code: -32602 })
  },
)

/** A token that answers balanceOf and allowance from mappings in the slots 3 and 4. */
const tokenCode =
  '0x5f3560e01c' + // the selector
  '806370a0823114601b57' + // balanceOf(address)
  '63dd62ed3e14603157' + // allowance(address,address)
  '5f5ffd' +
  '5b6004355f5260036020526040' +
  '5f20545f5260205ff3' +
  '5b6004355f526004602052' +
  '60405f20602052' +
  '6024355f52' +
  '60405f20545f5260205ff3'

const addressWord = (address: string): string => address.slice(2).padStart(64, '0')

test('balances and allowances of a token are set in the slots that it reads', async () => {
  await call('anvil_setCode', box, tokenCode)
  await call('anvil_dealERC20', alice, box, '0x1234')
  await call('anvil_setERC20Allowance', alice, nobody, box, 55)
  const balanceOf = { to: box, data: `0x70a08231${addressWord(alice)}` }
  const allowance = { to: box, data: `0xdd62ed3e${addressWord(alice)}${addressWord(nobody)}` }
  expect(await call('eth_call', balanceOf)).toBe(word(0x1234n))
  expect(await call('eth_call', allowance)).toBe(word(55n))
  await call('hardhat_dealERC20', alice, box, 0)
  expect(await call('eth_call', balanceOf)).toBe(word(0n))
  expect(await node.failure('anvil_dealERC20', alice, nobody, 1)).toMatchObject({
    message: expect.stringMatching(/no slot/),
  })
})

test('a contract that is deployed on a changed state keeps what it stores', async () => {
  await call('anvil_setBalance', nobody, 1)
  const sent = await call('eth_sendTransaction', { from: alice, data: boxInitCode, gas: '0x30000' })
  const { contractAddress } = await call<Json>('eth_getTransactionReceipt', sent)
  expect(await call('eth_getCode', contractAddress)).toBe(boxCode)
})
