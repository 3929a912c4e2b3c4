import { rmSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

/** An Ethermint that pruned answers from a state in which nothing is, instead of refusing. */

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const serveChain = async (): Promise<Replay> => {
  const replay = await startReplay({ chain: new SyntheticChain({ family: 'ethermint', length: 40 }) })
  closers.push(() => replay.close())
  return replay
}

const serve = async (nodes: readonly Replay[]): Promise<ServedGateway> => {
  const home = temporaryHome()
  const gateway = await serveGateway(home, [
    `--gateway.node=${nodes.map(({ url }) => url).join(',')}`,
    `--gateway.grpc=${nodes.map(({ grpcAddress }) => grpcAddress).join(',')}`,
  ])
  closers.push(async () => {
    await gateway.close()
    rmSync(home, { recursive: true, force: true })
  })
  await eventually(async () => Number(await gateway.call('eth_blockNumber')) >= 40)
  return gateway
}

interface Block {
  readonly transactions: readonly { readonly from: string; readonly nonce: string }[]
}

/** Returns the senders of the last blocks below `height`, whose nonce there is not zero. */
const sendersBelow = async (gateway: ServedGateway, height: number): Promise<readonly string[]> => {
  const senders = new Set<string>()
  for (let number = 1; number < height; number++) {
    const block = await gateway.call<Block>('eth_getBlockByNumber', `0x${number.toString(16)}`, true)
    for (const { from } of block.transactions) senders.add(from)
  }
  return [...senders]
}

const refusal = (height: number, earliest: number) => ({
  error: { code: -32002, message: `the state of block ${height} is not kept: ${earliest} is the earliest` },
})

describe('a chain that answers at pruned heights from an empty state', () => {
  test('is asked only where the state is, which moves while it runs', slow, async () => {
    const node = await serveChain()
    await node.setFaults({ emptyStateBelow: 10 })
    const gateway = await serve([node])
    const [sender = '', other = ''] = await sendersBelow(gateway, 15)
    expect(other).not.toBe('')
    for (const [method, params] of [
      ['eth_getTransactionCount', [sender]],
      ['eth_getBalance', [sender]],
      ['eth_getCode', [sender]],
      ['eth_getStorageAt', [sender, '0x0']],
      ['eth_call', [{ to: sender }]],
    ] as const)
      expect(await gateway.ask(method, [...params, '0x5'])).toMatchObject(refusal(5, 10))
    expect(Number(await gateway.call('eth_getTransactionCount', sender, '0xf'))).toBeGreaterThan(0)
    // The first search asked for block 25, which is gone when the second one comes to it.
    await node.setFaults({ emptyStateBelow: 28 })
    expect(await gateway.ask('eth_getTransactionCount', [other, '0xf'])).toMatchObject(refusal(15, 28))
    expect(await gateway.ask('eth_getTransactionCount', [other, '0x1c'])).not.toHaveProperty('error')
  })

  test('is passed over for a node that keeps the state', slow, async () => {
    const [pruned, archive] = [await serveChain(), await serveChain()]
    await pruned.setFaults({ emptyStateBelow: 10 })
    const gateway = await serve([pruned, archive])
    const [sender = ''] = await sendersBelow(gateway, 6)
    expect(Number(await gateway.call('eth_getTransactionCount', sender, '0x5'))).toBeGreaterThan(0)
  })
})
