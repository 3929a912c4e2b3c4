import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

const address = `0x${'11'.repeat(20)}`
const questions: readonly (readonly [string, readonly unknown[], number])[] = [
  ['net_peerCount', [], -32002],
  ['eth_coinbase', [], -32002],
  ['perihelion_validators', ['latest'], -32002],
  ['eth_getBalance', [address, 'latest'], -32002],
  ['eth_getTransactionCount', [address, 'pending'], -32002],
  ['eth_call', [{ to: address }, 'latest'], -32002],
  ['eth_estimateGas', [{ to: address }], -32002],
  ['eth_getCode', [address, 'latest'], -32002],
  ['eth_getProof', [address, [], 'latest'], -32002],
  ['clique_getSigners', ['latest'], -32002],
]

interface Block {
  readonly number: string
  readonly transactions: readonly string[]
}

const findBlockWithTransactions = async (gateway: ServedGateway): Promise<string> => {
  for (let number = 8; number > 0; number--) {
    const block = await gateway.call<Block>('eth_getBlockByNumber', `0x${number}`, false)
    if (block.transactions.length > 0) return block.number
  }
  throw new Error('the chain has no transactions')
}

test('while the node of the chain is down, the store is served and all else has a code and no address', async () => {
  const home = temporaryHome()
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 8 })
  const replay = await startReplay({ chain })
  const gateway = await serveGateway(home, [`--gateway.node=${replay.url}`])
  const port = new URL(replay.url).port
  try {
    await eventually(async () => Number(await gateway.call('eth_blockNumber')) >= 8)
    await replay.setFaults({ down: true })
    const traced = await findBlockWithTransactions(gateway)
    for (const [method, params, code] of [
      ...questions,
      ['debug_traceBlockByNumber', [traced, {}], -32002] as const,
    ]) {
      const { error, result } = await gateway.ask(method, params)
      expect([method, error?.code ?? 'answered']).toEqual([method, code])
      expect([method, JSON.stringify(error ?? result)]).toEqual([
        method,
        expect.not.stringMatching(`${port}|127\\.0\\.0\\.1`),
      ])
    }
    const ready = await fetch(`${gateway.http}/ready`)
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        ready: false,
        reasons: ['engine'],
        problem: 'no node of the chain answers: what the store has is served, transactions are kept',
      },
    ])
    expect(await gateway.call('perihelion_status')).toMatchObject({ lag: { blocks: null } })
    // It cannot know whether there are newer blocks.
    expect(await gateway.call('eth_syncing')).toMatchObject({ currentBlock: '0x8', highestBlock: '0x8' })
    expect(await gateway.call('eth_getBlockByNumber', '0x5', true)).toMatchObject({ number: '0x5' })
    expect(await gateway.call('eth_getLogs', { fromBlock: '0x1', toBlock: '0x8' })).toBeInstanceOf(Array)
  } finally {
    await gateway.close()
    await replay.close()
    rmSync(home, { recursive: true, force: true })
  }
})
