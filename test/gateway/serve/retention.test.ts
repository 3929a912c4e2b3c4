import { rmSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { dataFile } from '../../../src/home/layout.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../../src/store/check/storeCheck.ts'
import { eventually } from '../../support/eventually.ts'
import { describeSome } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

const quantity = (number: number): string => `0x${number.toString(16)}`

const oldestOf = async (gateway: ServedGateway): Promise<number> => {
  const { blocks } = await gateway.call<{ blocks: { oldestBlock: string } }>('eth_capabilities')
  return Number(blocks.oldestBlock)
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describeSome(0, ['cosmos-evm-0.7', 'perihelion'])('a gateway to a chain of %s', (family) => {
  test('keeps the newest blocks alone where it is told so', async () => {
    const chain = new SyntheticChain({ family, length: 60, seed: 7 })
    const replay = await startReplay({ chain })
    closing.push(() => replay.close())
    const home = temporaryHome()
    closing.push(() => rmSync(home, { recursive: true, force: true }))
    const flags = [`--gateway.node=${replay.url}`]
    let gateway = await serveGateway(home, flags)
    const headOf = async (): Promise<number> => Number(await gateway.call('eth_blockNumber'))
    await eventually(async () => (await headOf()) === 60)
    const first = await gateway.call<{ hash: string; transactions: string[] }>(
      'eth_getBlockByNumber',
      '0x3',
      false,
    )
    expect(first.hash).toMatch(/^0x/)
    const all = await gateway.call<{ blockNumber: string }[]>('eth_getLogs', { fromBlock: 'earliest' })
    await gateway.close()

    gateway = await serveGateway(home, [...flags, '--min-retain-blocks=20'])
    await eventually(async () => (await oldestOf(gateway)) === 41)
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x3', false],
      ['eth_getBlockByHash', first.hash, true],
      ['eth_getBlockReceipts', '0x3'],
      ['eth_getLogs', { fromBlock: '0x3' }],
      ['eth_getLogs', { blockHash: first.hash }],
      ['eth_feeHistory', '0x2', '0x3', [50]],
      ['erigon_getLogsByHash', first.hash],
    ] as const) {
      const { error } = await gateway.ask(method, params)
      expect([method, error?.code]).toEqual([method, -32002])
      expect(error?.message, method).toContain('41')
    }
    for (const hash of first.transactions)
      expect(await gateway.call('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await gateway.call('eth_getHeaderByNumber', '0x3')).toMatchObject({ hash: first.hash })
    expect(await gateway.call('eth_getBlockByNumber', 'earliest', false)).toMatchObject({
      number: quantity(41),
    })
    expect(await gateway.call('eth_getLogs', { fromBlock: 'earliest' })).toEqual(
      all.filter(({ blockNumber }) => Number(blockNumber) >= 41),
    )
    const { blocks } = await gateway.call<{ blocks: object }>('eth_capabilities')
    expect(blocks).toMatchObject({ deleteStrategy: { type: 'window', retentionBlocks: '0x14' } })
    for (let height = 61; height <= 70; height++) replay.grow()
    await eventually(async () => (await headOf()) === 70)
    // A few blocks wait until they are pruned together.
    await eventually(async () => (await oldestOf(gateway)) > 48)
    await gateway.close()

    const environment = new LmdbEnvironment({ path: dataFile(home), readOnly: true })
    closing.push(() => environment.close())
    const store = new BlockStoreReader(environment)
    expect([...new StoreCheck(store, environment).run()]).toEqual([])
    expect(store.oldestComplete()).toBeLessThanOrEqual(51)
  })
})
