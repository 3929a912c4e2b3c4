import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callApi } from '../../support/callApi.ts'
import { fakeChain } from '../../support/fakeChain.ts'
import { startNodeAt, type TestNode } from '../../support/node.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const carol = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'

interface Block {
  readonly number: string
  readonly hash: string
  readonly miner: string
}

describe('a node and its operator', () => {
  let home: string
  let node: TestNode
  const restart = async (...flags: string[]): Promise<void> => {
    await node.close()
    node = await startNodeAt(home, ...flags)
  }
  const send = (fields: object = {}) =>
    node.call('eth_sendTransaction', { from: alice, to: bob, value: '0x1', ...fields })
  const latest = () => node.call<Block>('eth_getBlockByNumber', 'latest', false)
  const appToml = () => join(home, 'config', 'app.toml')

  beforeEach(async () => {
    home = temporaryHome()
    node = await startNodeAt(home)
  })
  afterEach(async () => {
    await node.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('setEtherbase holds from the next block on, and after a restart', slow, async () => {
    await send()
    const { miner: before } = await latest()
    expect(await node.call('eth_coinbase')).toBe(before)
    expect(before).not.toBe(carol)

    expect(await node.call('miner_setEtherbase', carol)).toBe(true)
    expect(await node.call('eth_coinbase')).toBe(carol)
    expect((await latest()).miner).toBe(before)
    const balance = BigInt(await node.call('eth_getBalance', carol, 'latest'))
    await send({ maxPriorityFeePerGas: '0x10', maxFeePerGas: '0x77359400' })
    expect((await latest()).miner).toBe(carol)
    expect(BigInt(await node.call('eth_getBalance', carol, 'latest')) - balance).toBe(21_000n * 16n)

    await restart()
    expect(await node.call('eth_coinbase')).toBe(carol)
    await send()
    expect((await latest()).miner).toBe(carol)
  })

  test('a call sees the new etherbase in the pending block at once', async () => {
    // COINBASE PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN
    const coinbaseOf = () => node.call<string>('eth_call', { data: '0x4160005260206000f3' }, 'pending')
    await coinbaseOf()
    await node.call('miner_setEtherbase', carol)
    expect((await coinbaseOf()).slice(-40)).toBe(carol.slice(2))
  })

  test('an etherbase that cannot be kept does not hold either', async () => {
    const before = await node.call('eth_coinbase')
    const text = readFileSync(appToml(), 'utf8')
    rmSync(appToml())
    expect((await node.failure('miner_setEtherbase', carol)).code).toBe(-32603)
    expect(await node.call('eth_coinbase')).toBe(before)
    writeFileSync(appToml(), text)
  })

  test('setGasPrice changes one line of app.toml, and holds from the next start on', slow, async () => {
    const before = readFileSync(appToml(), 'utf8').split('\n')
    expect(await node.call('miner_setGasPrice', '0x1bf08eb000')).toBe(true) // 120 gwei
    const after = readFileSync(appToml(), 'utf8').split('\n')
    expect(after.filter((line, index) => line !== before[index])).toEqual([
      'minimum-gas-prices = "120000000000wei"',
    ])

    const cheap = { gasPrice: '0x3b9aca00' } // 1 gwei
    await send(cheap)
    await restart()
    expect(await node.failure('eth_sendTransaction', { from: alice, to: bob, ...cheap })).toMatchObject({
      code: -32000,
      message: expect.stringContaining('underpriced'),
    })
    await send({ gasPrice: '0x1bf08eb000' })

    await restart('--minimum-gas-prices=1')
    await send(cheap)
  })

  test('both are kept where they are set at the same time', async () => {
    await Promise.all([
      node.call('miner_setGasPrice', '0x64'),
      node.call('miner_setEtherbase', carol),
      node.call('miner_setGasPrice', '0x64'),
    ])
    const text = readFileSync(appToml(), 'utf8')
    expect(text).toContain('minimum-gas-prices = "100wei"')
    expect(text).toContain(`coinbase = "${carol}"`)
  })

  test('where no block is made there is nothing to steer', async () => {
    await send()
    await restart('--engine=none', '--json-rpc.api=eth,miner,debug')
    expect((await node.failure('miner_setEtherbase', carol)).code).toBe(-32004)
    expect((await node.failure('debug_setHead', '0x0')).code).toBe(-32004)
    expect(readFileSync(appToml(), 'utf8')).not.toContain(carol)
  })

  test('signers, snapshots and status say what the blocks say', async () => {
    await send()
    const first = await latest()
    await node.call('miner_setEtherbase', carol)
    await send()
    await send()
    const head = await latest()

    expect(await node.call('clique_getSigners', 'latest')).toEqual([carol])
    expect(await node.call('clique_getSigners', '0x1')).toEqual([first.miner])
    expect(await node.call('clique_getSigners')).toEqual([carol])
    const snapshot = {
      number: 1,
      hash: first.hash,
      signers: { [first.miner]: {} },
      recents: { '1': first.miner },
      votes: [],
      tally: {},
    }
    expect(await node.call('clique_getSnapshot', '0x1')).toEqual(snapshot)
    expect(await node.call('clique_getSnapshotAtHash', first.hash)).toEqual(snapshot)
    expect(await node.call('clique_getSnapshot')).toMatchObject({
      number: 3,
      hash: head.hash,
      recents: { '3': carol },
    })
    expect(await node.call('clique_status')).toEqual({
      inturnPercent: 100,
      sealerActivity: { [first.miner]: 1, [carol]: 2 },
      numBlocks: 3,
    })
    expect(await node.failure('clique_getSnapshot', '0x4')).toEqual({
      code: -32000,
      message: 'unknown block',
    })
    expect((await node.failure('clique_propose', carol, true)).message).toContain('governance')
  })

  test('one process is not a set of validators', async () => {
    expect(await node.failure('perihelion_validators', 'latest')).toEqual({
      code: -32004,
      message: expect.stringContaining('one process makes its blocks'),
    })
  })

  test('a chain without blocks has a first signer and no proposals', async () => {
    const { miner, hash } = await latest()
    expect(await node.call('clique_getSnapshot')).toMatchObject({
      number: 0,
      hash,
      signers: { [miner]: {} },
      recents: {},
    })
    expect(await node.call('clique_status')).toEqual({
      inturnPercent: 0,
      sealerActivity: { [miner]: 0 },
      numBlocks: 0,
    })
  })

  test('nodeInfo shows the chain, and no peers where there are none', async () => {
    await send()
    const genesis = await node.call<Block>('eth_getBlockByNumber', '0x0', false)
    const { hash } = await latest()
    expect(await node.call('admin_nodeInfo')).toEqual({
      name: await node.call('web3_clientVersion'),
      protocols: { eth: { network: 31_337, genesis: genesis.hash, head: hash } },
    })
    expect(await node.call('admin_peers')).toEqual([])
    expect(await node.call('net_peerCount')).toBe(0)
    expect(await node.call('admin_datadir')).toBe(home)
    const peer = `${'ab'.repeat(20)}@127.0.0.1:26656`
    expect((await node.failure('admin_addPeer', peer)).code).toBe(-32004)
    expect((await node.failure('admin_removePeer', peer)).code).toBe(-32004)
    expect((await node.failure('admin_addPeer', 'enode://abc@127.0.0.1:30303')).code).toBe(-32602)
  })
})

describe('a network of several', () => {
  const proposers = [alice, bob, alice, carol].map((text) => Buffer.from(text.slice(2), 'hex'))
  const added: string[] = []
  const chain = fakeChain({
    config: { chainId: 9000n },
    head: () => ({ number: 4, hash: new Uint8Array(32).fill(4), time: 0 }),
    blocks: {
      resolve: (ref) => {
        if (ref.kind === 'number') return Number(ref.number)
        return ref.kind === 'tag' && ref.tag === 'pending' ? 'pending' : 4
      },
      hash: (number) => new Uint8Array(32).fill(number),
      header: () => undefined,
    },
    network: {
      self: () => ({ id: 'ab'.repeat(20), name: 'north', address: '203.0.113.7:26656', version: '0.38.26' }),
      peers: async () => [
        {
          id: 'cd'.repeat(20),
          name: 'south',
          address: '203.0.113.8:26656',
          version: '0.38.26',
          isInbound: true,
        },
      ],
      validators: async () => [proposers[3], proposers[1], proposers[0]] as Uint8Array[],
      validatorSet: async (number) => {
        const listed = {
          publicKey: new Uint8Array(32).fill(number),
          engineAddress: new Uint8Array(20).fill(4),
        }
        return [
          { ...listed, power: 10n, reward: proposers[0] },
          { ...listed, power: 9n, reward: undefined },
        ]
      },
      proposal: async (number) => {
        const proposer = proposers[number - 1]
        return proposer && { proposer, isInTurn: number !== 3 }
      },
    },
    control: { addPeer: async (peer) => added.push(peer) > 0, removePeer: async () => false },
  })

  test('its validators are the signers', async () => {
    expect(await callApi('clique_getSnapshot', ['0x4'], { chain })).toEqual({
      number: 4,
      hash: `0x${'04'.repeat(32)}`,
      signers: { [carol]: {}, [bob]: {}, [alice]: {} },
      recents: { '4': carol, '3': alice },
      votes: [],
      tally: {},
    })
    expect(await callApi('clique_status', [], { chain })).toEqual({
      inturnPercent: 75,
      sealerActivity: { [alice]: 2, [bob]: 1, [carol]: 1 },
      numBlocks: 4,
    })
  })

  test('its validators are listed as the engine has them', async () => {
    const listed = { pubkey: `0x${'03'.repeat(32)}`, cometbftAddress: `0x${'04'.repeat(20)}`, power: '0xa' }
    expect(await callApi('perihelion_validators', ['0x3'], { chain })).toEqual([
      { ...listed, reward: alice },
      { ...listed, power: '0x9', reward: null },
    ])
    // The next block, and the newest.
    expect(await callApi('perihelion_validators', ['pending'], { chain })).toMatchObject([
      { pubkey: `0x${'05'.repeat(32)}` },
      {},
    ])
    expect(await callApi('perihelion_validators', [], { chain })).toMatchObject([
      { pubkey: `0x${'04'.repeat(32)}` },
      {},
    ])
  })

  test('its nodes are shown as the engine knows them', async () => {
    expect(await callApi('admin_nodeInfo', [], { chain, clientVersion: 'perihelion/v1' })).toMatchObject({
      id: 'ab'.repeat(20),
      name: 'perihelion/v1',
      moniker: 'north',
      ip: '203.0.113.7',
      ports: { listener: 26_656 },
      protocols: { engine: { version: '0.38.26' } },
    })
    expect(await callApi('admin_peers', [], { chain })).toEqual([
      {
        id: 'cd'.repeat(20),
        name: 'south',
        network: { remoteAddress: '203.0.113.8:26656', inbound: true },
        protocols: { engine: { version: '0.38.26' } },
      },
    ])
    const peer = `${'ef'.repeat(20)}@203.0.113.9:26656`
    expect(await callApi('admin_addPeer', [peer], { chain })).toBe(true)
    expect(added).toEqual([peer])
  })
})
