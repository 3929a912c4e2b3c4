import { afterAll, beforeAll, expect, it } from 'vitest'
import { toQuantity } from '../../src/base/encoding/hex.ts'
import { slow } from '../support/slow.ts'
import { Agreement } from './agreement.ts'
import { describeNetwork } from './describeNetwork.ts'
import { Ledger, Wallet } from './ledger.ts'
import { askEngine, call, heightOf, receiptOf, waitForHeight } from './rpcHelpers.ts'
import { killNode, type Network, type NetworkNode, restartNode, startNetwork } from './testnet.ts'

/** What every test run shows of a network. */
describeNetwork('four validators under CometBFT', () => {
  let network: Network
  const wallet = new Wallet(0)

  beforeAll(async () => {
    network = await startNetwork(4)
  })
  afterAll(async () => network?.stop())

  const nodeAt = (index: number): NetworkNode => {
    const node = network.nodes[index]
    if (node === undefined) throw new Error(`there is no node ${index}`)
    return node
  }
  const send = (node: NetworkNode, raw: string): Promise<string> => call(node, 'eth_sendRawTransaction', raw)

  it('takes a transaction at any node and shows it at all of them, once', async () => {
    const hashes: string[] = []
    for (const node of network.nodes) hashes.push(await send(node, await wallet.sign()))
    // And one at all of them.
    const raw = await wallet.sign()
    const [everywhere = ''] = await Promise.all(
      network.nodes.map((node) =>
        send(node, raw).catch((error: Error) => {
          expect(error.message).toContain('already known')
        }),
      ),
    )
    hashes.push(everywhere)
    for (const hash of hashes) {
      const receipts = await Promise.all(network.nodes.map((node) => receiptOf(node, hash)))
      for (const receipt of receipts) expect(receipt).toEqual(receipts[0])
    }
    await waitForHeight(nodeAt(0), (await heightOf(nodeAt(0))) + 2)
    const agreement = new Agreement(network.nodes)
    await agreement.check()
    expect(hashes.map((hash) => agreement.included.get(hash))).toEqual([1, 1, 1, 1, 1])
  })

  it('holds back what has a gap before it, at any node, until another node closes it', slow, async () => {
    const gap = await wallet.sign()
    const above = [await wallet.sign(), await wallet.sign(), await wallet.sign()]
    const hashes = await Promise.all(above.map((raw, index) => send(nodeAt(index + 1), raw)))
    const before = await heightOf(nodeAt(0))
    await waitForHeight(nodeAt(0), before + 3)
    // Each is in the pool of the node that it was sent to, no engine carries it, and no block has it.
    for (const [index, hash] of hashes.entries()) {
      expect(await call(nodeAt(index + 1), 'txpool_status')).toMatchObject({ pending: '0x0', queued: '0x1' })
      expect(await call(nodeAt(index + 1), 'eth_getTransactionByHash', hash)).toMatchObject({
        blockHash: null,
      })
    }
    for (const node of network.nodes)
      expect(await askEngine(node, 'num_unconfirmed_txs')).toMatchObject({ n_txs: '0', total: '0' })
    await send(nodeAt(0), gap)
    for (const hash of hashes)
      for (const node of network.nodes) expect((await receiptOf(node, hash)).status).toBe('0x1')
  })

  it('pays the tips of a block to its proposer', slow, async () => {
    const height = await heightOf(nodeAt(0))
    await waitForHeight(nodeAt(0), height + 8)
    const miners = new Set<string>()
    for (let back = 0; back < 8; back++) {
      const block = await call<{ miner: string }>(
        nodeAt(0),
        'eth_getBlockByNumber',
        toQuantity(height + back),
        false,
      )
      miners.add(block.miner)
    }
    expect(miners.size).toBe(4)
  })

  it('tells who the validators are and whose turn it was', async () => {
    await waitForHeight(nodeAt(0), 10)
    const set = await call<readonly { reward: string }[]>(nodeAt(0), 'perihelion_validators', 'latest')
    const rewards = set.map(({ reward }) => reward).sort()
    expect(rewards).toHaveLength(4)
    for (const node of network.nodes) expect(await call(node, 'clique_getSigners')).toEqual(rewards)
    const { inturnPercent, sealerActivity, numBlocks } = await call<{
      inturnPercent: number
      sealerActivity: Record<string, number>
      numBlocks: number
    }>(nodeAt(1), 'clique_status')
    expect(Object.keys(sealerActivity).sort()).toEqual(rewards)
    expect(Object.values(sealerActivity).reduce((sum, count) => sum + count, 0)).toBe(numBlocks)
    expect(Math.min(...Object.values(sealerActivity))).toBeGreaterThan(0)
    expect(inturnPercent).toBeGreaterThan(50)
  })

  it('goes on without one that was killed, which then catches up', slow, async () => {
    const ledger = new Ledger()
    await ledger.include(nodeAt(3), await wallet.sign())
    killNode(nodeAt(3))
    const before = await heightOf(nodeAt(0))
    await ledger.include(nodeAt(1), await wallet.sign())
    await waitForHeight(nodeAt(0), before + 5)
    await restartNode(nodeAt(3))
    await waitForHeight(nodeAt(3), before + 5)
    await ledger.check(network.nodes)
    await new Agreement(network.nodes).check()
  })
})
