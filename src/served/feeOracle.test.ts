import { expect, test } from 'vitest'
import { firstBlock } from '../../test/support/blocks.ts'
import { parseChainConfig } from '../chain/config/chainConfig.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import { FeeOracle } from './feeOracle.ts'

test('the header of a block is not paired with the tips of another in its place', async () => {
  const { header, hash } = firstBlock()
  let [reads, isReplaced] = [0, false]
  const blocks: Partial<BlockStoreReader> = {
    oldestComplete: () => 0,
    header: () => header,
    // Each is read with its header, and once more with its tips.
    blockHashAt: () => (isReplaced && ++reads > 1 ? new Uint8Array(32) : hash),
    receiptsJson: () => Buffer.from('[]'),
  }
  const oracle = new FeeOracle(
    { config: parseChainConfig({ chainId: 1 }), historyCap: 10 },
    {
      blocks: blocks as BlockStoreReader,
      rules: { baseFeeAfter: () => 0n, minGasPrice: () => 0n, defaultTip: () => 0n },
      head: () => ({ header, hash }),
      resolve: () => 0,
      pending: undefined,
    },
  )
  const ask = () => oracle.history(1, { kind: 'number', number: 0n }, [50])
  expect((await ask()).rewards).toEqual([[0n]])
  isReplaced = true
  await expect(ask()).rejects.toThrow('blocks were taken back while they were read; ask again')
})
