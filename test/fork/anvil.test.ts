import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locatePeer } from '../../bench/support/peers/locate.ts'
import { type Peer, spawnAnvil } from '../dev/differential/peer.ts'
import { storeData } from '../support/boxContract.ts'
import { eventually } from '../support/eventually.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { type Call, callOver, makeRemoteChain, type RemoteChain } from './support/remoteChain.ts'

/** What users read of a fork, here and on anvil, both of the same remote at the same block. */

const anvil = locatePeer('anvil')?.file
const reason = anvil === undefined ? ' (skipped: there is no anvil; ANVIL or BENCH_PEERS names it)' : ''

const dev = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const hex = (value: number | bigint): string => `0x${value.toString(16)}`

type Json = Readonly<Record<string, unknown>>

/** anvil answers before the block is there. */
const receiptOf = async (call: Call, hash: string): Promise<Json> => {
  let receipt: Json | null = null
  await eventually(async () => {
    receipt = await call<Json | null>('eth_getTransactionReceipt', hash)
    return receipt !== null
  })
  return receipt as unknown as Json // it is there
}

/** Returns the members that both have to have; anvil adds some and orders lists in its own way. */
const pick = (value: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, value[name]]))

describe.skipIf(anvil === undefined)(`beside anvil${reason}`, () => {
  let remote: TestNode
  let chain: RemoteChain
  let node: TestNode
  let peer: Peer
  let both: readonly [Call, Call]

  beforeAll(async () => {
    remote = await startTestNode('--ephemeral', '--chain-id=4242')
    chain = await makeRemoteChain(callOver(remote.http))
    const flags = [`--fork-url=${remote.http}`]
    node = await startTestNode(
      '--ephemeral',
      '--fork-cache=false',
      ...flags,
      `--fork-block=${chain.forkBlock}`,
    )
    peer = await spawnAnvil(anvil as string, [
      ...flags,
      `--fork-block-number=${chain.forkBlock}`,
      '--no-storage-caching',
      '--hardfork=osaka',
    ])
    both = [callOver(node.http), callOver(peer.url)]
  })
  afterAll(async () => {
    await node?.close()
    await peer?.close()
    await remote?.close()
  })

  /** Does the same on both and expects the same. */
  const same = async <T>(read: (call: Call) => Promise<T>): Promise<T> => {
    const [ours, theirs] = await Promise.all(both.map(read))
    expect(ours).toEqual(theirs)
    return ours as T // there are two
  }

  test('chain, head and blocks on all sides of the fork', async () => {
    await same((call) => call('eth_chainId'))
    await same((call) => call('eth_blockNumber'))
    const members = [
      'number',
      'hash',
      'parentHash',
      'timestamp',
      'gasLimit',
      'gasUsed',
      'baseFeePerGas',
      'stateRoot',
    ]
    for (const number of [0, 1, 2, chain.forkBlock])
      await same(async (call) => pick(await call('eth_getBlockByNumber', hex(number), false), ...members))
    await same((call) => call('eth_getBlockByNumber', hex(chain.forkBlock + 5), false))
    await same(async (call) => {
      const { hash } = await call<{ hash: string }>('eth_getBlockByNumber', '0x1', false)
      return pick(await call('eth_getBlockByHash', hash, false), ...members)
    })
  })

  test('state at the fork and below it', async () => {
    for (const at of ['latest', hex(chain.forkBlock), '0x2'])
      for (const account of [chain.box, chain.holder, `0x${'99'.repeat(20)}`]) {
        await same((call) => call('eth_getBalance', account, at))
        await same((call) => call('eth_getCode', account, at))
        await same((call) => call('eth_getTransactionCount', account, at))
        await same((call) => call('eth_getStorageAt', account, '0x0', at))
      }
    await same((call) => call('eth_getBalance', dev, 'latest'))
    for (const at of ['latest', '0x2']) await same((call) => call('eth_call', { to: chain.box }, at))
    // Here the base fee of the head and a tip, since it is the higher one. anvil takes that of the next block.
    const [ours, theirs] = await Promise.all(both.map((call) => call('eth_gasPrice')))
    const { baseFeePerGas } = await both[0]<{ baseFeePerGas: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    const tip = BigInt(await same((call) => call('eth_maxPriorityFeePerGas')))
    expect(BigInt(ours as string)).toBe(BigInt(baseFeePerGas) + tip)
    expect(BigInt(theirs as string)).toBeLessThan(BigInt(ours as string))
    await same((call) => call('eth_estimateGas', { from: dev, to: bob, value: '0x1' }))
  })

  test('transactions, receipts and logs below the fork', async () => {
    for (const hash of [chain.created, ...chain.stored]) {
      const members = [
        'transactionHash',
        'blockHash',
        'blockNumber',
        'from',
        'to',
        'status',
        'gasUsed',
        'contractAddress',
      ]
      await same(async (call) => pick(await call('eth_getTransactionReceipt', hash), ...members))
      await same(async (call) =>
        pick(await call('eth_getTransactionByHash', hash), 'hash', 'blockNumber', 'nonce', 'input'),
      )
    }
    await same((call) => call('eth_getTransactionByHash', `0x${'12'.repeat(32)}`))
  })

  test('a transaction, logs across the fork, a snapshot and its revert', async () => {
    await same(async (call) => {
      const id = await call('evm_snapshot')
      const hash = await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(9n) })
      const receipt = await receiptOf(call, hash)
      const block = await call<Json>('eth_getBlockByNumber', 'latest', false)
      const logs = await call<Json[]>('eth_getLogs', {
        fromBlock: '0x0',
        toBlock: 'latest',
        address: chain.box,
      })
      const value = await call('eth_call', { to: chain.box }, 'latest')
      const isReverted = await call('evm_revert', id)
      return [
        pick(receipt, 'status', 'blockNumber', 'gasUsed', 'from', 'to'),
        pick(block, 'number', 'parentHash', 'baseFeePerGas', 'gasLimit'),
        logs.map((log) => pick(log, 'address', 'topics', 'data', 'blockNumber', 'logIndex')),
        value,
        isReverted,
        await call('eth_blockNumber'),
        await call('eth_call', { to: chain.box }, 'latest'),
      ]
    })
  })

  test('an impersonated account of the remote', async () => {
    await same(async (call) => {
      await call('anvil_impersonateAccount', chain.holder)
      const hash = await call('eth_sendTransaction', {
        from: chain.holder,
        to: bob,
        value: '0x5',
        gas: '0x5208',
      })
      const receipt = await receiptOf(call, hash)
      return [
        pick(receipt, 'status', 'from', 'to', 'blockNumber'),
        await call('eth_getTransactionCount', chain.holder, 'latest'),
      ]
    })
  })

  test('what the node tells about the fork', async () => {
    await same(async (call) => {
      const { forkConfig } = await call<{ forkConfig: Json }>('anvil_nodeInfo')
      return forkConfig.forkBlockNumber
    })
    await same(async (call) => (await call<{ forkedNetwork: Json }>('anvil_metadata')).forkedNetwork)
  })

  test('a reset to another block', async () => {
    await same(async (call) => {
      await call('anvil_reset', { forking: { jsonRpcUrl: remote.http, blockNumber: 2 } })
      const block = await call<Json>('eth_getBlockByNumber', 'latest', false)
      const first = [
        await call('eth_blockNumber'),
        block.hash,
        await call('eth_call', { to: chain.box }, 'latest'),
      ]
      await call('evm_mine')
      const mined = await call<Json>('eth_getBlockByNumber', 'latest', false)
      return [...first, pick(mined, 'number', 'parentHash'), await call('eth_getBalance', dev, 'latest')]
    })
    // anvil goes on with the base fee from before the reset; here it follows from the block, as it did on the remote.
    const baseFee = async (call: Call) =>
      (await call<{ baseFeePerGas: string }>('eth_getBlockByNumber', '0x3', false)).baseFeePerGas
    expect(await baseFee(both[0])).toBe(await baseFee(callOver(remote.http)))
  })
})
