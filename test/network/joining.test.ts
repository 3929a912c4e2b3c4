import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/freePort.ts'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import {
  ask,
  askEngine,
  callHome,
  createHomes,
  HomeProcess,
  type Homes,
  headOf,
  reach,
  toNumber,
  until,
} from './homeProcess.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

/** Snapshots come so often that one holds what was sent before. */
const interval = 4

interface EngineStatus {
  readonly node_info: { readonly id: string; readonly listen_addr: string }
}

/** Init code that leaves code which keeps the hash of the block 3 before under its number. */
const contract = '0x6008600c60003960086000f3600343034043550000' as const

describeNetwork('a fifth node joins four validators', slow, () => {
  let homes: Homes
  let validators: HomeProcess[]
  let address: `0x${string}`
  const transfers = new TransferLoad()

  const first = (): HomeProcess => validators[0] as HomeProcess // started below

  beforeAll(async () => {
    homes = createHomes(4, 500)
    const args = ['--snapshot.interval', `${interval}`, '--snapshot.keep', '100']
    validators = homes.homes.map((home) => new HomeProcess(home, { args }))
    await Promise.all(validators.map((node) => node.ready()))
    const created = await receiptOf(first(), await transfers.send(first(), contract, null))
    address = created.contractAddress as `0x${string}` // it was a creation
    for (let index = 0; index < 3; index++)
      await receiptOf(first(), await transfers.send(first(), '0x01', address))
  })
  afterAll(async () => homes?.remove())

  const engineOf = async (node: HomeProcess) => {
    const { node_info: info } = await askEngine<EngineStatus>(node, 'status')
    return { peer: `${info.id}@${info.listen_addr.replace(/^tcp:\/\//, '')}`, rpc: node.rpc }
  }

  const joinArgs = async (): Promise<string[]> => {
    const engines = await Promise.all(validators.map(engineOf))
    const [rpc, p2p] = [await freePort(), await freePort()]
    return [
      ...['--engine', 'cometbft', '--genesis', homes.genesis],
      ...['--engine-rpc', `http://127.0.0.1:${rpc}`, '--engine-p2p', `127.0.0.1:${p2p}`],
      ...['--persistent-peers', engines.map(({ peer }) => peer).join(',')],
      ...['--json-rpc.address', '127.0.0.1:0', '--json-rpc.ws-address', ''],
      ...['--json-rpc.api', 'eth,net,web3,debug'],
    ]
  }

  /** Says how it is trusted: by the newest block, which the first validator names. */
  const syncArgs = async (): Promise<string[]> => {
    const commit = await askEngine<{
      signed_header: { header: { height: string }; commit: { block_id: { hash: string } } }
    }>(first(), 'commit')
    return [
      ...[
        '--statesync.rpc-servers',
        validators
          .slice(0, 2)
          .map(({ rpc }) => rpc.replace('http://', ''))
          .join(','),
      ],
      ...['--statesync.trust-height', commit.signed_header.header.height],
      ...['--statesync.trust-hash', commit.signed_header.commit.block_id.hash],
    ]
  }

  /** Blocks of a range, of which a long one is sampled, are answered as the first validator does. */
  const expectSame = async (node: HomeProcess, from: number, to: number): Promise<void> => {
    const step = Math.max(1, Math.floor((to - from) / 20))
    for (let height = to; height >= from; height -= step) {
      const number = toNumber(height)
      const questions: [string, ...unknown[]][] = [
        ['eth_getBlockByNumber', number, true],
        ['eth_getBlockReceipts', number],
        ['eth_getBalance', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', number],
        ['eth_getStorageAt', address, number, number],
        ['eth_getProof', address, [toNumber(height)], number],
        ['eth_getCode', address, number],
        ['debug_getRawBlock', number],
      ]
      for (const [method, ...params] of questions) {
        const [there, here] = await Promise.all([
          ask(first().http, method, ...params),
          ask(node.http, method, ...params),
        ])
        expect(here, `${method} ${height}`).toEqual(there)
      }
    }
  }

  it('from a snapshot', async () => {
    const folder = join(first().home, 'data', 'snapshots')
    const made = (): number[] =>
      existsSync(folder)
        ? readdirSync(folder)
            .filter((name) => /^\d+$/.test(name))
            .map(Number)
        : []
    await until('a snapshot is there', () => made().some((height) => height > 10))
    const trusted = await syncArgs()
    const home = join(homes.folder, 'synced')
    const node = new HomeProcess(home, { args: [...(await joinArgs()), ...trusted] })
    await node.ready()
    await until('it is restored', async () => (await headOf(node)) > 0)
    const sent = await transfers.send(first(), '0x01', address)
    const { blockNumber } = await receiptOf(node, sent)
    const oldest = Number(/"height":(\d+)[^\n]*the snapshot is restored/.exec(node.errors)?.[1])
    expect(oldest % interval).toBe(0)
    expect(oldest).toBeGreaterThan(0)
    await reach(node, Number(blockNumber) + 2)
    await reach(first(), Number(blockNumber) + 2)
    await expectSame(node, oldest, Number(blockNumber) + 2)
    expect(await callHome(node, 'eth_getBlockByNumber', '0x0', true)).toEqual(
      await callHome(first(), 'eth_getBlockByNumber', '0x0', true),
    )
    // What came before was never there.
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x1', false],
      ['eth_getBlockReceipts', '0x1'],
      ['eth_getBalance', address, '0x1'],
      ['eth_call', { to: address }, '0x1'],
      ['debug_traceBlockByNumber', '0x1', {}],
      ['debug_getRawBlock', '0x1'],
      ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x2' }],
    ] as const)
      expect((await ask(node.http, method, ...params)).error, method).toMatchObject({ code: -32002 })
    // It is a node like any other after a restart, and offers what it takes itself.
    await node.stop()
    const again = await new HomeProcess(home, {
      args: ['--engine', 'cometbft', '--json-rpc.ws-address', ''],
    }).ready()
    await reach(again, (await headOf(first())) + 1)
    await again.stop()
  })

  it('by executing every block', async () => {
    const node = new HomeProcess(join(homes.folder, 'replayed'), { args: await joinArgs() })
    await node.ready()
    const height = await headOf(first())
    await reach(node, height)
    await expectSame(node, 0, height)
    await node.stop()
  })
})
