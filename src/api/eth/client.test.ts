import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { SyncProgress } from '../../chain/port/network.ts'

const progress: SyncProgress = { startingBlock: 0, currentBlock: 500, highestBlock: 1000 }

test.each([
  ['in step', () => undefined, false],
  ['behind', () => progress, { startingBlock: '0x0', currentBlock: '0x1f4', highestBlock: '0x3e8' }],
  [
    'behind, known later',
    async () => progress,
    { startingBlock: '0x0', currentBlock: '0x1f4', highestBlock: '0x3e8' },
  ],
])('eth_syncing: %s', async (_name, syncing, result) => {
  expect(await callApi('eth_syncing', [], { chain: fakeChain({ network: { syncing } }) })).toEqual(result)
})
