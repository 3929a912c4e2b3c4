import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { ReplayFamily } from '../replay/families.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from '../serve/servedGateway.ts'

interface Block {
  readonly hash: string
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly input: string }[]
}

const callTracer = { tracer: 'callTracer' }

/** A node traces the transactions that it is given: each family's messages have to reach it whole. */
describe.each<ReplayFamily>(['ethermint', 'cosmos-evm-0.1', 'cosmos-evm-0.4'])('traces of %s', (family) => {
  const chain = new SyntheticChain({ family, length: 12, seed: 5 })
  const home = temporaryHome()
  let replay: Replay
  let gateway: ServedGateway
  const blocks: Block[] = []

  beforeAll(async () => {
    replay = await startReplay({ chain })
    gateway = await serveGateway(home, [`--gateway.node=${replay.url}`])
    await eventually(async () => Number(await gateway.call('eth_blockNumber')) === chain.head)
    for (let height = 1; height <= chain.head; height++)
      blocks.push(await gateway.call<Block>('eth_getBlockByNumber', `0x${height.toString(16)}`, true))
  })
  afterAll(async () => {
    await gateway?.close()
    await replay?.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('a transaction is traced with its sender and its data', async () => {
    const transactions = blocks.flatMap((block) => block.transactions)
    expect(transactions.length).toBeGreaterThan(5)
    for (const { hash, from, input } of transactions)
      expect(await gateway.call('debug_traceTransaction', hash, callTracer)).toMatchObject({ from, input })
  })

  test('so is each of a block', async () => {
    for (const { hash, transactions } of blocks)
      expect(await gateway.call('debug_traceBlockByHash', hash, callTracer)).toMatchObject(
        transactions.map(({ hash: txHash, from, input }) => ({ txHash, result: { from, input } })),
      )
  })
})
