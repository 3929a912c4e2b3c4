import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boxInitCode, storeData, revertData as toRevertData } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'

/** The methods of geth, Parity, Otterscan and Erigon that answer in a shape of their own, against their schemas. */

type Json = Record<string, unknown>
type Hex = `0x${string}`

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const revertData = toRevertData('0xdeadbeef')
const unknownHash = `0x${'de'.repeat(32)}`

let node: TestNode
let box: string
let hashes: string[]

beforeAll(async () => {
  node = await startTestNode()
  const send = (request: Json): Promise<string> =>
    node.call('eth_sendTransaction', { from: alice, gas: '0x30d40', ...request })
  const first = await send({ data: boxInitCode })
  box = (await node.call<Json>('eth_getTransactionReceipt', first)).contractAddress as string
  hashes = [
    first,
    await send({ to: box, data: storeData(7n) }),
    await send({ to: bob, value: '0x1' }),
    await node.call('eth_sendRawTransaction', await signed({ to: box, data: revertData })),
  ]
})
afterAll(() => node.close())

/** Signs what `eth_sendTransaction` would refuse, since it reverts. */
const signed = async (request: Json): Promise<string> => {
  const nonce = await node.call('eth_getTransactionCount', alice, 'pending')
  const fees = { maxFeePerGas: '0xb2d05e00', maxPriorityFeePerGas: '0x1' }
  const { raw } = await node.call<{ raw: string }>('eth_signTransaction', {
    from: alice,
    gas: '0x30d40',
    nonce,
    ...fees,
    ...request,
  })
  return raw
}

test('every trace of a node has the form that the OpenRPC document names', async () => {
  const kinds = ['trace', 'stateDiff', 'vmTrace']
  for (const [index, hash] of hashes.entries()) {
    expect(await node.call('trace_transaction', hash)).not.toEqual([])
    expect(await node.call('trace_get', hash, [0])).toMatchObject({ transactionHash: hash })
    await node.call('trace_replayTransaction', hash, kinds)
    await node.call('trace_replayBlockTransactions', `0x${(index + 1).toString(16)}`, kinds)
    await node.call('trace_block', `0x${(index + 1).toString(16)}`)
    await node.call('ots_traceTransaction', hash)
    await node.call('ots_getInternalOperations', hash)
    await node.call('ots_getTransactionError', hash)
    await node.call('ots_getBlockDetails', index + 1)
    await node.call('ots_getBlockTransactions', index + 1, 0, 5)
  }
  expect(await node.call('trace_filter', { fromBlock: '0x0', fromAddress: alice })).toHaveLength(4)
  const { error } = await node.call<{ error?: string }>('trace_get', hashes[3], [0])
  expect(error).toBe('Reverted')
  await node.call('trace_call', { to: box, data: revertData }, kinds)
  await node.call('trace_callMany', [[{ to: box }, kinds]])
  await node.call('trace_rawTransaction', await signed({ to: bob, value: '0x1' }), kinds)
  expect(await node.call('ots_getContractCreator', box)).toEqual({ hash: hashes[0], creator: alice })
  await node.call('ots_searchTransactionsBefore', alice, 0, 25)
  await node.call('ots_searchTransactionsAfter', alice, 0, 25)
  await node.call('erigon_forks')
  await node.call('erigon_getBlockByTimestamp', '0xffffffff', true)
  await node.call('erigon_getLatestLogs', {})
})

test('the accounts that blocks changed are those of their states', async () => {
  const modified = (...range: number[]) => node.call<string[]>('debug_getModifiedAccountsByNumber', ...range)
  const [{ stateDiff }] = await node.call<[{ stateDiff: object }]>('trace_replayBlockTransactions', '0x3', [
    'stateDiff',
  ])
  const third = await modified(3)
  expect(third).toEqual(expect.arrayContaining(Object.keys(stateDiff)))
  expect(third).toContain(bob)
  expect(third).not.toContain(box)
  expect(await modified(2, 3)).toEqual(third)
  const both = await modified(1, 3)
  expect(both).toEqual([...new Set([...(await modified(2)), ...third])].sort())
  const { hash } = await node.call<{ hash: string }>('eth_getBlockByNumber', '0x3', false)
  expect(await node.call('debug_getModifiedAccountsByHash', hash)).toEqual(third)
  expect((await node.failure('debug_getModifiedAccountsByNumber', 3, 3)).message).toMatch(/must be less than/)
  expect((await node.failure('debug_getModifiedAccountsByHash', unknownHash)).message).toBe(
    'start block not found',
  )
})

test('what is known by its hash, and which states are kept', async () => {
  const [transaction] = hashes
  expect(keccak256(await node.call<Hex>('debug_preimage', transaction))).toBe(transaction)
  const { hash } = await node.call<{ hash: string }>('eth_getBlockByNumber', '0x2', false)
  expect(keccak256(await node.call<Hex>('debug_preimage', hash))).toBe(hash)
  expect((await node.failure('debug_preimage', unknownHash)).message).toBe('unknown preimage')
  expect(await node.call('debug_getAccessibleState', '0x1', '0x3')).toBe(1)
  expect(await node.call('debug_getAccessibleState', '0x3', '0x1')).toBe(3)
  expect((await node.failure('debug_traceBadBlock', unknownHash)).message).toBe('bad block not found')
})

test('what has no meaning here says why', async () => {
  for (const [method, ...params] of [
    ['debug_dbGet', '0x01'],
    ['debug_dbAncient', 'bodies', 1],
    ['debug_dbAncients'],
    ['debug_chaindbProperty', 'stats'],
    ['debug_chaindbCompact'],
    ['debug_setMemoryLimit', 1_000_000],
    ['admin_addTrustedPeer', 'a'],
    ['admin_removeTrustedPeer', 'a'],
    ['admin_peerEvents'],
    ['admin_exportChain', 'file', 1, 2],
    ['admin_importChain', 'file'],
  ] as const) {
    const { code, message } = await node.failure(method, ...params)
    expect(code, method).toBe(-32004)
    expect(message.length, method).toBeGreaterThan(30)
  }
})

test('a waiting transaction is replaced, and the pool emptied', async () => {
  const slow = await startTestNode('--block-time=1h')
  try {
    const waiting = { from: alice, to: bob, value: '0x5', nonce: '0x0', gasPrice: '0x77359400' }
    const first = await slow.call('eth_sendTransaction', waiting)
    const second = await slow.call('eth_resend', waiting, '0xb2d05e00', '0x5300')
    expect(second).not.toBe(first)
    expect(await slow.call('eth_getTransactionByHash', second)).toMatchObject({
      gasPrice: '0xb2d05e00',
      gas: '0x5300',
      value: '0x5',
    })
    expect(await slow.call('eth_getTransactionByHash', first)).toBeNull()
    const unknown = 'transaction to resend was not found in the pool'
    expect((await slow.failure('eth_resend', { ...waiting, nonce: '0x4' })).message).toBe(unknown)
    expect((await slow.failure('eth_resend', { ...waiting, value: '0x6' })).message).toBe(unknown)
    expect((await slow.failure('eth_resend', { from: alice, to: bob })).message).toMatch(
      /missing transaction nonce/,
    )
    expect(await slow.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    expect(await slow.call('debug_clearTxpool')).toBeNull()
    expect(await slow.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  } finally {
    await slow.close()
  }
})
