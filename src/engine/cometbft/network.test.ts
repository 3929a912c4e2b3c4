import { expect, test } from 'vitest'
import { CometNetwork, type CometNetworkDependencies } from './network.ts'
import { PeerHeights } from './watch/peerHeights.ts'

const networkWith = (catchingUp: boolean, peers: readonly number[] | undefined): CometNetwork =>
  setUp(catchingUp, peers).network

const setUp = (catchingUp: boolean, peers: readonly number[] | undefined) => {
  const facts = { nowMs: 0, head: 12n }
  const rpc = {
    status: async () => ({ sync_info: { catching_up: catchingUp, latest_block_height: '12' } }),
    consensusState: async () => {
      if (peers === undefined) throw new Error('no answer')
      return {
        round_state: { height: '13', step: 1 },
        peers: peers.map((height) => ({ peer_state: { round_state: { height: `${height}` } } })),
      }
    },
  }
  const now = () => facts.nowMs
  const network = new CometNetwork({
    rpc,
    peerHeights: new PeerHeights({ rpc, now }),
    head: () => ({ header: { number: facts.head } }),
    now,
  } as unknown as CometNetworkDependencies) // what the progress of a sync is made of
  return { network, facts }
}

test('while a node catches up, the highest block is the newest one of its peers', async () => {
  expect(await networkWith(true, [40, 101, 7]).syncing()).toEqual({
    startingBlock: 12,
    currentBlock: 12,
    highestBlock: 100,
  })
  expect((await networkWith(true, []).syncing())?.highestBlock).toBe(12)
  expect((await networkWith(true, undefined).syncing())?.highestBlock).toBe(12)
})

test('a node that takes part in consensus is behind when it stands and its peers are far ahead', async () => {
  for (const peers of [[14], undefined, [101]] as const) {
    const { network, facts } = setUp(false, peers)
    expect(await network.syncing()).toBeUndefined()
    facts.nowMs = 10_000
    expect((await network.syncing())?.highestBlock).toBe(peers?.[0] === 101 ? 100 : undefined)
  }
})

test('a peer that lies does not make a node behind whose head moves', async () => {
  const { network, facts } = setUp(false, [1_000_000])
  for (let second = 0; second < 60; second += 5) {
    facts.nowMs = second * 1000
    facts.head++
    expect(await network.syncing()).toBeUndefined()
  }
})
