import { expect, test } from 'vitest'
import { CometNetwork, type CometNetworkDependencies } from './network.ts'
import { PeerHeights } from './watch/peerHeights.ts'

const networkWith = (
  catchingUp: boolean,
  peers: readonly number[] | undefined,
  headAge = 60,
): CometNetwork => {
  const rpc = {
    status: async () => ({ isCatchingUp: catchingUp, latestHeight: 12 }),
    consensusState: async () => {
      if (peers === undefined) throw new Error('no response')
      return { height: 13, step: 1, peerHeights: peers }
    },
  }
  return new CometNetwork({
    rpc,
    peerHeights: new PeerHeights({ rpc, now: () => performance.now() }),
    head: () => ({ header: { number: 12n, timestamp: 1000n } }),
    clock: () => (1000 + headAge) * 1000,
  } as unknown as CometNetworkDependencies) // what the progress of a sync is made of
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

test('a node that takes part in consensus is behind when its peers are far ahead', async () => {
  expect(await networkWith(false, [14]).syncing()).toBeUndefined()
  expect(await networkWith(false, undefined).syncing()).toBeUndefined()
  expect((await networkWith(false, [101]).syncing())?.highestBlock).toBe(100)
})

test('peers that lie do not make a node behind whose newest block is fresh', async () => {
  expect(await networkWith(false, [1_000_000], 5).syncing()).toBeUndefined()
  expect((await networkWith(true, [1_000_000], 5).syncing())?.highestBlock).toBe(999_999)
})
