import { encodeErrorResult, keccak256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  boxCode,
  boxInitCode,
  endlessData,
  invalidData,
  revertData,
  storeData,
} from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** The methods that read, over the real node: what one of them says is what the others say. */

type Json = Record<string, unknown>
type Hex = `0x${string}`

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const unknownHash = `0x${'de'.repeat(32)}`
const slot0 = `0x${'00'.repeat(32)}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

let node: TestNode
let box: string

beforeAll(async () => {
  node = await startTestNode()
  const send = (request: Json): Promise<string> =>
    node.call('eth_sendTransaction', { from: alice, gas: '0x30d40', ...request })
  const created = await node.call<Json>('eth_getTransactionReceipt', await send({ data: boxInitCode }))
  box = created.contractAddress as string
  await send({ to: box, data: storeData(7n) })
  await send({ to: bob, value: '0x1', gasPrice: '0x77359400' })
  await send({ to: box, data: storeData(9n), accessList: [{ address: box, storageKeys: [slot0] }] })
  await send({ to: box, data: invalidData })
})
afterAll(() => node.close())

describe('blocks', () => {
  test.each(['0x0', '0x1', '0x2', '0x3', '0x4', '0x5'])(
    'block %s is the same by every name',
    async (number) => {
      const block = await node.call<Json>('eth_getBlockByNumber', number, false)
      const full = await node.call<Json>('eth_getBlockByNumber', number, true)
      const hash = block.hash as string
      expect(await node.call('eth_getBlockByHash', hash, false)).toEqual(block)
      expect(await node.call('eth_getBlockByHash', hash, true)).toEqual(full)
      const { size, transactions, uncles, withdrawals, ...members } = block
      expect(await node.call('eth_getHeaderByNumber', number)).toEqual(members)
      expect(await node.call('eth_getHeaderByHash', hash)).toEqual(members)
      const hashes = (full.transactions as Json[]).map((transaction) => transaction.hash)
      expect(hashes).toEqual(transactions)
      const count = `0x${hashes.length.toString(16)}`
      expect(await node.call('eth_getBlockTransactionCountByNumber', number)).toBe(count)
      expect(await node.call('eth_getBlockTransactionCountByHash', hash)).toBe(count)
      expect(await node.call('eth_getUncleCountByBlockNumber', number)).toBe('0x0')
      expect(await node.call('eth_getUncleCountByBlockHash', hash)).toBe('0x0')
      expect(await node.call('eth_getUncleByBlockNumberAndIndex', number, '0x0')).toBeNull()
      expect(await node.call('eth_getUncleByBlockHashAndIndex', hash, '0x0')).toBeNull()
      const rawHeader = await node.call<Hex>('debug_getRawHeader', number)
      expect(keccak256(rawHeader)).toBe(hash)
      const rawBlock = await node.call<string>('debug_getRawBlock', hash)
      expect(rawBlock).toContain(rawHeader.slice(2))
      expect(rawBlock.length / 2 - 1).toBe(Number(size))
      expect(await node.call('debug_getBlockRlp', Number(number))).toBe(rawBlock)
      expect(JSON.parse(await node.call<string>('debug_printBlock', number))).toEqual(full)
      const receipts = await node.call<Json[]>('eth_getBlockReceipts', hash)
      expect(await node.call('eth_getBlockReceipts', number)).toEqual(receipts)
      expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashes)
      expect(await node.call('debug_getRawReceipts', number)).toHaveLength(hashes.length)
    },
  )

  test.each(['latest', 'safe', 'finalized'])('%s is the newest', async (tag) => {
    expect(await node.call('eth_blockNumber')).toBe('0x5')
    expect(await node.call('eth_getBlockByNumber', tag, false)).toHaveProperty('number', '0x5')
  })

  test('earliest is genesis', async () => {
    expect(await node.call('eth_getBlockByNumber', 'earliest', false)).toHaveProperty('number', '0x0')
  })

  test('pending is the next one, not sealed', async () => {
    const pending = await node.call<Json>('eth_getBlockByNumber', 'pending', true)
    expect(pending).toMatchObject({ number: '0x6', hash: null, nonce: null, miner: null, transactions: [] })
    const { size, transactions, uncles, withdrawals, ...members } = pending
    expect(await node.call('eth_getHeaderByNumber', 'pending')).toEqual(members)
    expect(await node.call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x0')
    expect(await node.call('eth_getUncleCountByBlockNumber', 'pending')).toBe('0x0')
    expect(await node.call('eth_getBlockReceipts', 'pending')).toEqual([])
    expect(await node.call('debug_getRawHeader', 'pending')).toBe('0x')
  })

  test('what is not there is null', async () => {
    for (const [method, ...rest] of [
      ['eth_getBlockByNumber', false],
      ['eth_getHeaderByNumber'],
      ['eth_getBlockReceipts'],
      ['eth_getBlockTransactionCountByNumber'],
      ['eth_getUncleCountByBlockNumber'],
      ['eth_getTransactionByBlockNumberAndIndex', '0x0'],
    ] as const) {
      expect(await node.call(method, '0x6', ...rest), method).toBeNull()
      expect(await node.call(method, '0x7fffffffffffffff', ...rest), method).toBeNull()
    }
    for (const [method, ...rest] of [
      ['eth_getBlockByHash', false],
      ['eth_getHeaderByHash'],
      ['eth_getBlockReceipts'],
      ['eth_getBlockTransactionCountByHash'],
      ['eth_getUncleCountByBlockHash'],
      ['eth_getTransactionByBlockHashAndIndex', '0x0'],
      ['eth_getTransactionByHash'],
      ['eth_getTransactionReceipt'],
      ['debug_getRawReceipts'],
    ] as const) {
      expect(await node.call(method, unknownHash, ...rest), method).toBeNull()
    }
    // What is bytes has none, as in geth.
    for (const [method, ...params] of [
      ['eth_getRawTransactionByBlockNumberAndIndex', '0x6', '0x0'],
      ['eth_getRawTransactionByBlockNumberAndIndex', '0x7fffffffffffffff', '0x0'],
      ['eth_getRawTransactionByBlockHashAndIndex', unknownHash, '0x0'],
      ['eth_getRawTransactionByHash', unknownHash],
      ['debug_getRawTransaction', unknownHash],
      ['debug_getRawBlock', '0x6'],
      ['debug_getRawBlock', unknownHash],
      ['debug_getRawHeader', '0x6'],
    ] as const)
      expect(await node.call(method, ...params), method).toBe('0x')
    expect(await node.failure('debug_getBlockRlp', 6)).toMatchObject({
      code: -32000,
      message: 'block #6 not found',
    })
    expect(await node.failure('debug_printBlock', '0x6')).toMatchObject({ code: -32000 })
  })
})

describe('transactions', () => {
  test.each(['0x1', '0x2', '0x3', '0x4', '0x5'])(
    'that of block %s is the same by every name',
    async (number) => {
      const { hash: blockHash, transactions } = await node.call<Json>('eth_getBlockByNumber', number, true)
      const [transaction] = transactions as Json[]
      const { hash, nonce } = transaction as { hash: Hex; nonce: string }
      for (const call of [
        node.call('eth_getTransactionByHash', hash),
        node.call('eth_getTransactionByBlockHashAndIndex', blockHash, '0x0'),
        node.call('eth_getTransactionByBlockNumberAndIndex', number, '0x0'),
        node.call('eth_getTransactionbyBlockNumberAndIndex', number, '0x0'),
        node.call('eth_getTransactionBySenderAndNonce', alice, nonce),
      ])
        expect(await call).toEqual(transaction)
      const raw = await node.call<Hex>('eth_getRawTransactionByHash', hash)
      expect(keccak256(raw)).toBe(hash)
      for (const call of [
        node.call('eth_getRawTransactionByBlockHashAndIndex', blockHash, '0x0'),
        node.call('eth_getRawTransactionByBlockNumberAndIndex', number, '0x0'),
        node.call('debug_getRawTransaction', hash),
      ])
        expect(await call).toBe(raw)
      expect(await node.call('eth_getTransactionByBlockNumberAndIndex', number, '0x1')).toBeNull()
      expect(
        await node.call('eth_getTransactionByBlockNumberAndIndex', number, '0x7fffffffffffffff'),
      ).toBeNull()
      const [receipt] = await node.call<Json[]>('eth_getBlockReceipts', number)
      expect(await node.call('eth_getTransactionReceipt', hash)).toEqual(receipt)
      expect(receipt).toMatchObject({
        transactionHash: hash,
        blockHash,
        status: number === '0x5' ? '0x0' : '0x1',
      })
    },
  )

  test('types follow from what was given', async () => {
    const types = await Promise.all(
      ['0x1', '0x2', '0x3', '0x4'].map(async (number) => {
        const transaction = await node.call<Json>('eth_getTransactionByBlockNumberAndIndex', number, '0x0')
        return transaction.type
      }),
    )
    expect(types).toEqual(['0x2', '0x2', '0x0', '0x2'])
  })

  test('of nobody and of no nonce are null', async () => {
    expect(await node.call('eth_getTransactionBySenderAndNonce', bob, '0x0')).toBeNull()
    expect(await node.call('eth_getTransactionBySenderAndNonce', alice, '0x5')).toBeNull()
  })
})

describe('state', () => {
  test('is that of the height asked for', async () => {
    const hashOf = async (number: string) =>
      (await node.call<Json>('eth_getBlockByNumber', number, false)).hash as string
    for (const [number, value, nonce] of [
      ['0x1', 0, '0x1'],
      ['0x2', 7, '0x2'],
      ['0x3', 7, '0x3'],
      ['0x4', 9, '0x4'],
    ] as const) {
      const hash = await hashOf(number)
      for (const block of [
        number,
        hash,
        { blockNumber: number },
        { blockHash: hash, requireCanonical: true },
      ]) {
        expect(await node.call('eth_getStorageAt', box, '0x0', block)).toBe(word(value))
        expect(await node.call('eth_getTransactionCount', alice, block)).toBe(nonce)
        expect(await node.call('eth_call', { to: box }, block)).toBe(word(value))
      }
    }
    expect(await node.call('eth_getCode', box, '0x1')).toBe(boxCode)
    expect(await node.call('eth_getCode', box, 'earliest')).toBe('0x')
    expect(await node.call('eth_getBalance', bob, '0x2')).toBe('0x21e19e0c9bab2400000')
    expect(await node.call('eth_getBalance', bob)).toBe('0x21e19e0c9bab2400001')
    expect(await node.call('eth_getBalance', bob, 'pending')).toBe('0x21e19e0c9bab2400001')
  })

  test('of a block that is not there is an error', async () => {
    const missing = { code: -32000, message: 'header not found' }
    expect(await node.failure('eth_getBalance', alice, '0x6')).toMatchObject(missing)
    expect(await node.failure('eth_getStorageAt', alice, '0x0', unknownHash)).toMatchObject(missing)
    expect(await node.failure('eth_getProof', alice, [], { blockHash: unknownHash })).toMatchObject(missing)
    expect(await node.failure('eth_call', { to: box }, '0x6')).toMatchObject(missing)
    expect(await node.failure('debug_dumpBlock', '0x6')).toMatchObject(missing)
  })

  test('of many slots at once is that of each', async () => {
    expect(await node.call('eth_getStorageValues', { [box]: ['0x0', '0x1'], [bob]: ['0x00'] })).toEqual({
      [box]: [word(9), word(0)],
      [bob]: [word(0)],
    })
    expect(await node.failure('eth_getStorageValues', {})).toMatchObject({ code: -32602 })
    expect(await node.failure('eth_getStorageValues', { [box]: [] })).toMatchObject({ code: -32602 })
    const many = Array.from({ length: 1025 }, (_, index) => word(index))
    expect(await node.failure('eth_getStorageValues', { [box]: many })).toMatchObject({ code: -32005 })
  })

  test('accounts are whole', async () => {
    const [balance, nonce] = [
      await node.call('eth_getBalance', alice),
      await node.call('eth_getTransactionCount', alice),
    ]
    expect(await node.call('eth_getAccountInfo', alice)).toEqual({ balance, nonce, code: '0x' })
    expect(await node.call('eth_getAccount', alice)).toMatchObject({ balance, nonce })
    expect(await node.call('eth_getAccount', box)).toMatchObject({ codeHash: keccak256(boxCode as Hex) })
    expect(await node.call('eth_getAccount', `0x${'77'.repeat(20)}`)).toBeNull()
    expect(await node.call('eth_getAccountInfo', `0x${'77'.repeat(20)}`)).toEqual({
      balance: '0x0',
      nonce: '0x0',
      code: '0x',
    })
  })

  test('proofs begin at the state root, and give keys back as they came', async () => {
    const keys = ['0x00', slot0, '0x0', word(1).toUpperCase().replace('X', 'x')]
    const { stateRoot } = await node.call<Json>('eth_getBlockByNumber', '0x4', false)
    const proof = await node.call<Json>('eth_getProof', box, keys, '0x4')
    expect(keccak256((proof.accountProof as Hex[])[0] as Hex)).toBe(stateRoot)
    const slots = proof.storageProof as { key: string; value: string; proof: Hex[] }[]
    expect(slots.map(({ key, value }) => [key, value])).toEqual([
      ['0x0', '0x9'],
      [slot0, '0x9'],
      ['0x0', '0x9'],
      [keys[3], '0x0'],
    ])
    expect(keccak256(slots[0]?.proof[0] as Hex)).toBe(proof.storageHash)
  })

  test('a dump and its pages are one', async () => {
    const whole = await node.call<{ root: string; accounts: Json; next?: string }>(
      'debug_dumpBlock',
      'latest',
    )
    const pages: Json = {}
    for (let start: string | undefined = '0x'; start !== undefined; ) {
      const page: typeof whole = await node.call('debug_accountRange', 'latest', start, 3)
      expect(page.root).toBe(whole.root)
      Object.assign(pages, page.accounts)
      start = page.next
    }
    expect(pages).toEqual(whole.accounts)
    const entry = Object.values(whole.accounts).find((account) => (account as Json).address === box)
    expect(entry).toMatchObject({ nonce: 1, code: boxCode, storage: { [slot0]: '09' } })
    const bare = await node.call<typeof whole>('debug_accountRange', 'latest', '0x', 0, true, true)
    expect(JSON.stringify(bare)).not.toMatch(/"code":|"storage":/)
    expect(Object.keys(bare.accounts)).toEqual(Object.keys(whole.accounts))
  })
})

describe('calls', () => {
  const abi = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Odd(uint256)'])

  test.each([
    [encodeErrorResult({ abi, errorName: 'Error', args: ['unlucky'] }), 'execution reverted: unlucky'],
    [encodeErrorResult({ abi, errorName: 'Panic', args: [1n] }), 'execution reverted: assert(false)'],
    [encodeErrorResult({ abi, errorName: 'Odd', args: [7n] }), 'execution reverted'],
    ['0x', 'execution reverted'],
  ])('a revert with %s says %s', async (data, message) => {
    expect(await node.failure('eth_call', { to: box, data: revertData(data) })).toEqual({
      code: 3,
      message,
      data,
    })
  })

  test('other failures have the machine’s words', async () => {
    expect(await node.failure('eth_call', { to: box, data: invalidData })).toMatchObject({ code: -32000 })
    expect(await node.failure('eth_call', { to: box, data: endlessData, gas: '0x186a0' })).toMatchObject({
      code: -32000,
      message: 'out of gas',
    })
  })

  test('without a target the data is init code', async () => {
    expect(await node.call('eth_call', { data: boxInitCode })).toBe(boxCode)
  })

  test('change nothing', async () => {
    await node.call('eth_call', { to: box, data: storeData(1n) })
    expect(await node.call('eth_getStorageAt', box, '0x0')).toBe(word(9))
  })
})

test('the chain itself', async () => {
  expect(await node.call('eth_chainId')).toBe('0x7a69')
  expect(await node.call('net_version')).toBe('31337')
  expect(await node.call('net_peerCount')).toBe(0)
  expect(await node.call('net_listening')).toBe(true)
  expect(await node.call('eth_syncing')).toBe(false)
  expect(await node.call<string[]>('eth_accounts')).toHaveLength(10)
  expect(await node.call('eth_coinbase')).toBe('0xbcd4042de499d14e55001ccbb24a551f3b954096')
  expect(await node.call('debug_getBadBlocks')).toEqual([])
  const tip = await node.call<string>('eth_maxPriorityFeePerGas')
  const { baseFeePerGas } = await node.call<{ baseFeePerGas: string }>('eth_getHeaderByNumber', 'latest')
  expect(BigInt(await node.call<string>('eth_gasPrice'))).toBe(BigInt(tip) + BigInt(baseFeePerGas))
})
