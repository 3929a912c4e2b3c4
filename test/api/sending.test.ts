import {
  type Hex,
  keccak256,
  parseTransaction,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boxInitCode } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** The methods that sign and send, over the real node; viem checks what was signed. */

type Json = Record<string, unknown>

const key = (digits: string): Hex => `0x${digits}`
const dave = privateKeyToAccount(key('7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6'))
const erin = privateKeyToAccount(key('47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a'))
const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const carol = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const stranger = `0x${'77'.repeat(20)}`

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.close())

const signedBy = (account: typeof dave, nonce: number): Promise<Hex> =>
  account.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce,
    to: bob,
    value: 5n,
    gas: 21_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })

describe('signing', () => {
  test('a message', async () => {
    const signature = await node.call<Hex>('eth_sign', alice, '0xdeadbeaf')
    const signer = await recoverMessageAddress({ message: { raw: '0xdeadbeaf' }, signature })
    expect(signer.toLowerCase()).toBe(alice)
  })

  const typedData = {
    types: {
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallets', type: 'address[]' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    primaryType: 'Mail',
    domain: { name: 'Mail', version: '1', chainId: 31_337, verifyingContract: bob },
    message: { from: { name: 'Al', wallets: [alice, bob] }, amount: '123456789012345678901234567890' },
  } as const

  test.each([
    ['an object', typedData],
    ['its JSON', JSON.stringify(typedData)],
  ])('typed data, as %s', async (_name, given) => {
    const signature = await node.call<Hex>('eth_signTypedData_v4', alice, given)
    const message = { ...typedData.message, amount: BigInt(typedData.message.amount) }
    const signer = await recoverTypedDataAddress({ ...typedData, message, signature } as never)
    expect(signer.toLowerCase()).toBe(alice)
  })

  test.each([
    ['no JSON', '{'],
    ['a bare string', 'null'],
    ['no types', { primaryType: 'A', domain: {}, message: {} }],
    ['JSON without a message', JSON.stringify({ types: {}, primaryType: 'A', domain: {} })],
    ['a type that is not there', { types: {}, primaryType: 'A', domain: {}, message: {} }],
    [
      'a value that does not fit',
      { types: { A: [{ name: 'a', type: 'uint8' }] }, primaryType: 'A', domain: {}, message: { a: 256 } },
    ],
  ])('typed data: %s is refused', async (_name, given) => {
    expect(await node.failure('eth_signTypedData_v4', alice, given)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('typedData'),
    })
  })

  test('only for accounts of the node', async () => {
    for (const call of [
      node.failure('eth_sign', stranger, '0x00'),
      node.failure('eth_signTypedData_v4', stranger, typedData),
      node.failure('eth_sendTransaction', { from: stranger, to: bob }),
      node.failure('eth_signTransaction', {
        from: stranger,
        to: bob,
        gas: '0x5208',
        gasPrice: '0x1',
        nonce: '0x0',
      }),
    ])
      expect(await call).toMatchObject({ code: -32000, message: 'unknown account' })
  })

  test.each([
    ['0x0', { gasPrice: '0x77359400' }],
    ['0x1', { gasPrice: '0x77359400', accessList: [] }],
    ['0x2', { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }],
  ])('a transaction of type %s', async (type, members) => {
    const request = { from: carol, to: bob, value: '0x1', gas: '0x5208', nonce: '0x9', ...members }
    const { raw, tx } = await node.call<{ raw: Hex; tx: Json }>('eth_signTransaction', request)
    expect(tx).toMatchObject({ type, nonce: '0x9', hash: keccak256(raw), from: carol, blockHash: null })
    expect((await recoverTransactionAddress({ serializedTransaction: raw as never })).toLowerCase()).toBe(
      carol,
    )
    expect(await node.call('eth_getTransactionByHash', keccak256(raw))).toBeNull()
  })

  test('a transaction must be complete', async () => {
    const whole = { from: carol, to: bob, gas: '0x5208', gasPrice: '0x1', nonce: '0x0' }
    const without = async (name: keyof typeof whole) =>
      (await node.failure('eth_signTransaction', { ...whole, [name]: null })).message
    expect(await without('gas')).toBe('gas not specified')
    expect(await without('gasPrice')).toBe('missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
    expect(await without('nonce')).toBe('nonce not specified')
  })
})

describe('filling in', () => {
  test('leaves nothing open', async () => {
    const { raw, tx } = await node.call<{ raw: Hex; tx: Json }>('eth_fillTransaction', {
      from: carol,
      to: bob,
    })
    const { baseFeePerGas } = await node.call<{ baseFeePerGas: string }>('eth_getHeaderByNumber', 'latest')
    const tip = BigInt(await node.call<string>('eth_maxPriorityFeePerGas'))
    expect(parseTransaction(raw)).toMatchObject({
      type: 'eip1559',
      chainId: 31_337,
      gas: 21_000n,
      maxPriorityFeePerGas: tip,
      maxFeePerGas: tip + 2n * BigInt(baseFeePerGas),
    })
    expect(tx).toMatchObject({
      from: carol,
      nonce: '0x0',
      v: '0x0',
      r: '0x0',
      s: '0x0',
      hash: keccak256(raw),
    })
  })

  test('says why gas cannot be estimated', async () => {
    const reverts = { from: carol, data: '0x5f5ffd' }
    expect(await node.failure('eth_fillTransaction', reverts)).toMatchObject({ code: 3, data: '0x' })
    const cheap = { from: carol, to: bob, maxFeePerGas: '0x5' }
    expect((await node.failure('eth_fillTransaction', cheap)).message).toMatch(/less than block base fee/)
  })

  test('keeps what is given', async () => {
    const { tx } = await node.call<{ tx: Json }>('eth_fillTransaction', {
      from: carol,
      to: bob,
      gasLimit: '0x10000',
      gasPrice: '0x77359400',
      nonce: '0x7',
      input: '0x01',
    })
    expect(tx).toMatchObject({
      type: '0x0',
      gas: '0x10000',
      gasPrice: '0x77359400',
      nonce: '0x7',
      input: '0x01',
      v: '0x0',
    })
  })

  test('a tip is never over the fee', async () => {
    const { tx } = await node.call<{ tx: Json }>('eth_fillTransaction', {
      from: carol,
      to: bob,
      gas: '0x5208',
      maxFeePerGas: '0x5',
    })
    expect(tx).toMatchObject({ maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x5' })
  })

  test.each([
    [{ to: bob, gasPrice: '0x1', maxFeePerGas: '0x1' }, /both gasPrice and/],
    [
      { to: bob, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
      /maxFeePerGas \(1\) < maxPriorityFeePerGas \(2\)/,
    ],
    [{ to: bob, chainId: '0x1' }, /chainId does not match node's \(have=1, want=31337\)/],
    [{}, /contract creation without any data provided/],
    [{ to: bob, data: '0x01', input: '0x02' }, /^both "data" and "input" are set and not equal\. Please use/],
    [{ to: bob, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, /blob/],
    [{ to: bob, type: '0x3' }, /blob/],
    [{ to: bob, type: '0x5' }, /type not supported/],
    [{ to: bob, type: '0x2', gasPrice: '0x1' }, /type 2 does not/],
    [{ to: bob, type: '0x0', maxFeePerGas: '0x1' }, /type 0 does not/],
    [{ to: bob, type: '0x0', accessList: [] }, /type 0 does not/],
    [{ to: bob, type: '0x4' }, /type 4 does not/],
  ])('%j contradicts itself', async (request, message) => {
    const failure = await node.failure('eth_fillTransaction', { from: carol, ...request })
    expect(failure.code).toBe(-32000)
    expect(failure.message).toMatch(message)
  })

  test.each(['0x0', '0x1', '0x2'])('type %s where it is asked for', async (type) => {
    const { tx } = await node.call<{ tx: Json }>('eth_fillTransaction', { from: carol, to: bob, type })
    expect(tx).toMatchObject({ type })
  })
})

describe('sending', () => {
  test('from an account of the node, answered once it is in a block', async () => {
    const hash = await node.call<string>('eth_sendTransaction', { from: alice, to: bob, value: '0x1' })
    const receipt = await node.call<Json>('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({ status: '0x1', from: alice, to: bob })
    expect(await node.call('eth_getTransactionByHash', hash)).toMatchObject({ gas: '0x15f90', type: '0x2' })
  })

  test('many at once from one account take nonces in a row', async () => {
    const before = Number(await node.call<string>('eth_getTransactionCount', bob))
    const hashes = await Promise.all(
      Array.from({ length: 20 }, () =>
        node.call<string>('eth_sendTransaction', { from: bob, to: alice, value: '0x1' }),
      ),
    )
    const nonces = await Promise.all(
      hashes.map(async (hash) => Number((await node.call<Json>('eth_getTransactionByHash', hash)).nonce)),
    )
    expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => before + index))
    expect(await node.call('eth_getTransactionCount', bob)).toBe(`0x${(before + 20).toString(16)}`)
  })

  test('a contract', async () => {
    const hash = await node.call<string>('eth_sendTransaction', {
      from: alice,
      data: boxInitCode,
      gas: '0x30d40',
    })
    expect(await node.call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      to: null,
      contractAddress: expect.stringMatching(/^0x/),
    })
  })

  test('a raw transaction, and its receipt at once', async () => {
    const raw = await signedBy(dave, 0)
    expect(await node.call('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    const next = await signedBy(dave, 1)
    const receipt = await node.call<Json>('eth_sendRawTransactionSync', next)
    expect(receipt).toMatchObject({ transactionHash: keccak256(next), status: '0x1' })
    expect(await node.call('eth_getTransactionReceipt', keccak256(next))).toEqual(receipt)
  })

  test('a transaction of the node’s own account, and its receipt at once', async () => {
    const receipt = await node.call<Json>('eth_sendTransactionSync', { from: alice, to: bob, value: '0x1' })
    expect(receipt).toMatchObject({ from: alice, to: bob, status: '0x1' })
    expect(await node.call('eth_getTransactionReceipt', receipt.transactionHash)).toEqual(receipt)
  })

  test('what the pool refuses is told in its words', async () => {
    expect(await node.failure('eth_sendRawTransaction', await signedBy(dave, 0))).toMatchObject({
      code: -32000,
      message: expect.stringContaining('nonce too low'),
    })
    expect(await node.failure('eth_sendRawTransaction', '0x02c0')).toMatchObject({ code: -32000 })
    expect(
      await node.failure('eth_sendTransaction', { from: alice, to: bob, value: `0x${'ff'.repeat(20)}` }),
    ).toMatchObject({ code: -32000, message: expect.stringContaining('insufficient funds') })
  })
})

describe('sending without gas', () => {
  test('a contract that needs more than 90000 gets what it needs', async () => {
    // Returns 2,000 zero bytes, which cost 400,000 gas.
    const request = { from: alice, data: '0x6107d05ff3' }
    const { tx } = await node.call<{ tx: Json }>('eth_fillTransaction', request)
    expect(Number(tx.gas)).toBeGreaterThan(400_000)
    const hash = await node.call<string>('eth_sendTransaction', request)
    const receipt = await node.call<Json>('eth_getTransactionReceipt', hash)
    expect(receipt).toMatchObject({ status: '0x1', contractAddress: expect.stringMatching(/^0x/) })
    expect(Number((await node.call<Json>('eth_getTransactionByHash', hash)).gas)).toBeLessThan(500_000)
  })

  test('what would revert is refused with its data, and takes no nonce', async () => {
    const before = await node.call('eth_getTransactionCount', alice, 'pending')
    // Reverts with one byte, 0xaa.
    const failure = await node.failure('eth_sendTransaction', { from: alice, data: '0x60aa5f5360015ffd' })
    expect(failure).toMatchObject({ code: 3, data: '0xaa' })
    expect(await node.call('eth_getTransactionCount', alice, 'pending')).toBe(before)
    // With gas it is sent and fails in its block.
    const hash = await node.call<string>('eth_sendTransaction', {
      from: alice,
      data: '0x60aa5f5360015ffd',
      gas: '0x186a0',
    })
    expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0' })
  })

  test('what runs out of all gas is refused too', async () => {
    // Loops for ever.
    expect(await node.failure('eth_sendTransaction', { from: alice, data: '0x5b5f56' })).toMatchObject({
      code: -32000,
    })
  })
})

describe('the pool', () => {
  let raw: Hex
  let waiting: Json
  const erinAddress = erin.address.toLowerCase()

  test('a transaction whose time has not come is not waited for', async () => {
    raw = await signedBy(erin, 1)
    const started = Date.now()
    const failure = await node.failure('eth_sendRawTransactionSync', raw, 50)
    expect(failure).toMatchObject({ code: 4, data: keccak256(raw) })
    expect(Date.now() - started).toBeLessThan(5000)
  })

  test('it is found by every name, outside of any block', async () => {
    waiting = await node.call<Json>('eth_getTransactionByHash', keccak256(raw))
    expect(waiting).toMatchObject({
      hash: keccak256(raw),
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      from: erinAddress,
      gasPrice: '0xb2d05e00',
    })
    expect(await node.call('eth_getTransactionBySenderAndNonce', erinAddress, '0x1')).toEqual(waiting)
    expect(await node.call('eth_getRawTransactionByHash', keccak256(raw))).toBe(raw)
    expect(await node.call('debug_getRawTransaction', keccak256(raw))).toBe(raw)
    expect(await node.call('eth_getTransactionReceipt', keccak256(raw))).toBeNull()
    expect(await node.call('eth_getTransactionCount', erinAddress, 'pending')).toBe('0x0')
  })

  test('it is in the lists', async () => {
    expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
    expect(await node.call('txpool_content')).toEqual({
      pending: {},
      queued: { [erin.address]: { '1': waiting } },
    })
    expect(await node.call('txpool_contentFrom', erinAddress)).toEqual({
      pending: {},
      queued: { '1': waiting },
    })
    expect(await node.call('txpool_contentFrom', alice)).toEqual({ pending: {}, queued: {} })
    expect(await node.call('txpool_inspect')).toEqual({
      pending: {},
      queued: {
        [erin.address]: {
          '1': '0x70997970C51812dc3A010C7d01b50e0d17dc79C8: 5 wei + 21000 gas × 3000000000 wei',
        },
      },
    })
    expect(await node.call('eth_pendingTransactions')).toEqual([])
  })

  test('once the gap is closed it is in a block', async () => {
    await node.call('eth_sendRawTransactionSync', await signedBy(erin, 0))
    await expect
      .poll(() => node.call('eth_getTransactionReceipt', keccak256(raw)))
      .toMatchObject({ transactionHash: keccak256(raw) })
    expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })
})

describe('the head', () => {
  test('moves back, and not forward', async () => {
    const height = BigInt(await node.call<string>('eth_blockNumber'))
    expect(await node.failure('debug_setHead', `0x${(height + 1n).toString(16)}`)).toMatchObject({
      code: -32000,
    })
    expect(await node.call('debug_setHead', '0x1')).toBeNull()
    expect(await node.call('eth_blockNumber')).toBe('0x1')
    expect(await node.call('eth_getBlockByNumber', '0x2', false)).toBeNull()
    await node.call('eth_sendTransaction', { from: alice, to: bob })
    expect(await node.call('eth_blockNumber')).toBe('0x2')
  })
  test('moves back twice at once: who comes second finds no block any more', async () => {
    while (BigInt(await node.call<string>('eth_blockNumber')) < 3n)
      await node.call('eth_sendTransaction', { from: alice, to: bob })
    const back = (height: string) =>
      node.call('debug_setHead', height).then(
        () => null,
        (error: { code?: number; message: string }) => error,
      )
    const [first, second] = await Promise.all([back('0x1'), back('0x3')])
    expect(first).toBeNull()
    expect(second?.message).toContain('block #3 not found')
  })
})
