import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { locatePeer } from '../../bench/support/peers/locate.ts'
import { boxCode, storeData } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { ChainUnderTest, overHttp } from './differential/chain.ts'
import { startAnvil } from './differential/peer.ts'

/** States in the form of anvil. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const nobody = `0x${'77'.repeat(20)}`
const box = `0x${'b0'.repeat(20)}`
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

let node: TestNode
let other: TestNode
beforeEach(async () => {
  node = await startTestNode('--ephemeral')
  other = await startTestNode('--ephemeral')
})
afterEach(async () => {
  await node.close()
  await other.close()
})

const readDump = (dump: string): Json =>
  JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()) as Json

test('a dump has all accounts, and another chain goes on from it', async () => {
  await node.call('anvil_setCode', box, boxCode)
  await node.call('eth_sendTransaction', { from: alice, to: box, data: storeData(6n) })
  await node.call('eth_sendTransaction', { from: alice, to: nobody, value: '0x7' })
  await node.call('anvil_setStorageAt', box, '0x9', word(9n))
  const dump = await node.call<string>('anvil_dumpState')
  const { accounts, best_block_number, block } = readDump(dump)
  expect(best_block_number).toBe(2)
  expect(block).toMatchObject({ number: '0x2' })
  expect(accounts).toMatchObject({
    [nobody]: { balance: '0x7', nonce: 0, code: '0x', storage: {} },
    [box]: { code: boxCode, storage: { [word(0n)]: word(6n), [word(9n)]: word(9n) } },
  })

  expect(await other.call('anvil_loadState', dump)).toBe(true)
  expect(await other.call('eth_blockNumber')).toBe('0x2')
  expect(await other.call('eth_getBalance', nobody)).toBe('0x7')
  expect(await other.call('eth_getCode', box)).toBe(boxCode)
  expect(await other.call('eth_getStorageAt', box, '0x9', 'latest')).toBe(word(9n))
  expect(await other.call('eth_getTransactionCount', alice)).toBe('0x2')
  const sent = await other.call('eth_sendTransaction', { from: alice, to: box, data: storeData(8n) })
  expect(await other.call<Json>('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
  expect(await other.call('eth_getStorageAt', box, '0x0', 'latest')).toBe(word(8n))
})

test('blocks go on with the gas limit and the coinbase of a loaded head', async () => {
  await node.call('evm_setBlockGasLimit', '0x1ba8140')
  await node.call('anvil_setCoinbase', nobody)
  await node.call('evm_mine')
  const dump = await node.call('anvil_dumpState')
  await node.call('evm_setBlockGasLimit', '0x1ab3f00')
  await node.call('anvil_setCoinbase', alice)
  await node.call('evm_mine')
  for (const chain of [node, other]) {
    await chain.call('anvil_loadState', dump)
    await chain.call('evm_mine')
    const next = await chain.call('eth_getBlockByNumber', 'latest', false)
    expect(next).toMatchObject({ number: '0x2', gasLimit: '0x1ba8140', miner: nobody })
  }
})

test('a dump need not be compressed, and may be of an older anvil', async () => {
  const old = {
    block: { number: '0x0', coinbase: nobody, timestamp: '0x1', gas_limit: '0x1c9c380', basefee: '0x0' },
    accounts: { [nobody]: { nonce: 3, balance: '0x2a', code: '0x', storage: { '0x1': '0x2' } } },
  }
  const text = Buffer.from(JSON.stringify(old))
  for (const bytes of [text, gzipSync(text)]) {
    expect(await node.call('anvil_loadState', `0x${bytes.toString('hex')}`)).toBe(true)
    expect(await node.call('eth_getBalance', nobody)).toBe('0x2a')
    expect(await node.call('eth_getTransactionCount', nobody)).toBe('0x3')
    expect(await node.call('eth_getStorageAt', nobody, '0x1', 'latest')).toBe(word(2n))
  }
})

test.each([
  ['no JSON', '0x00'],
  ['no accounts', `0x${Buffer.from('{}').toString('hex')}`],
  ['a torn stream', '0x1f8b0800'],
  ['an account that is none', `0x${Buffer.from('{"accounts":{"0x1":{}}}').toString('hex')}`],
])('%s is refused', async (_, dump) => {
  expect(await node.failure('anvil_loadState', dump)).toMatchObject({ code: -32602 })
})

const anvil = locatePeer('anvil')?.file
const reason = anvil === undefined ? ' (skipped: there is no anvil; ANVIL or BENCH_PEERS names it)' : ''

test.skipIf(anvil === undefined)(`anvil takes our dump, and we take its own${reason}`, async () => {
  const peer = await startAnvil(anvil as string, 1)
  try {
    const theirs = new ChainUnderTest('anvil', overHttp(peer.url))
    await node.call('anvil_setCode', box, boxCode)
    await node.call('eth_sendTransaction', { from: alice, to: box, data: storeData(6n) })
    await node.call('eth_sendTransaction', { from: alice, to: nobody, value: '0x7' })
    expect(await theirs.require('anvil_loadState', await node.call('anvil_dumpState'))).toBe(true)
    expect(await theirs.require('eth_getBalance', nobody, 'latest')).toBe('0x7')
    expect(await theirs.require('eth_getCode', box, 'latest')).toBe(boxCode)
    expect(await theirs.require('eth_getStorageAt', box, '0x0', 'latest')).toBe(word(6n))
    expect(await theirs.require('eth_getTransactionCount', alice, 'latest')).toBe('0x2')
    expect(await theirs.require('eth_blockNumber')).toBe('0x2')

    await theirs.require('anvil_setStorageAt', box, '0x5', word(5n))
    await theirs.require('anvil_setBalance', nobody, '0x8')
    await theirs.require('evm_mine')
    expect(await other.call('anvil_loadState', await theirs.require('anvil_dumpState'))).toBe(true)
    expect(await other.call('eth_getBalance', nobody)).toBe('0x8')
    expect(await other.call('eth_getStorageAt', box, '0x5', 'latest')).toBe(word(5n))
    expect(await other.call('eth_getTransactionCount', alice)).toBe('0x2')
    expect(await other.call('eth_blockNumber')).toBe('0x3')
  } finally {
    await peer.close()
  }
})

test('the blocks up to the number of a loaded head take no time', async () => {
  const head = await other.call<Json>('eth_getBlockByNumber', 'latest', false)
  const timestamp = `0x${(Number(head.timestamp) + 10).toString(16)}`
  const accounts = { [nobody]: { nonce: 0, balance: '0x2a', code: '0x', storage: {} } }
  const dump = { block: { number: '0x64', timestamp }, accounts, best_block_number: 100 }
  await other.call('anvil_loadState', `0x${Buffer.from(JSON.stringify(dump)).toString('hex')}`)
  expect(await other.call('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: '0x64',
    timestamp,
  })
  expect(await other.call('eth_getBalance', nobody)).toBe('0x2a')
})
