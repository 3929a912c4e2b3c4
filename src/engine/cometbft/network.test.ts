import { expect, test } from 'vitest'
import { CometNetwork, type CometNetworkDependencies } from './network.ts'

const networkWith = (catchingUp: boolean, peers: readonly number[] | undefined): CometNetwork =>
  new CometNetwork({
    rpc: {
      status: async () => ({ sync_info: { catching_up: catchingUp, latest_block_height: '12' } }),
      consensusState: async () => {
        if (peers === undefined) throw new Error('no answer')
        return { peers: peers.map((height) => ({ peer_state: { round_state: { height: `${height}` } } })) }
      },
    },
    head: () => ({ header: { number: 12n } }),
  } as unknown as CometNetworkDependencies) // what the progress of a sync is made of

test('while a node catches up, the highest block is the newest one of its peers', async () => {
  expect(await networkWith(true, [40, 101, 7]).syncing()).toEqual({
    startingBlock: 12,
    currentBlock: 12,
    highestBlock: 100,
  })
  expect((await networkWith(true, []).syncing())?.highestBlock).toBe(12)
  expect((await networkWith(true, undefined).syncing())?.highestBlock).toBe(12)
  expect(await networkWith(false, [101]).syncing()).toBeUndefined()
})
