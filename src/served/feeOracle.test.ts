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
  await expect(ask()).rejects.toThrow('blocks were reverted while they were read; try again')
})

/** An oracle on a chain that it is given, with the tips of each block. */
const suggesting = () => {
  const { header } = firstBlock()
  const chain: bigint[][] = [[]]
  const blocks: Partial<BlockStoreReader> = {
    oldestComplete: () => 0,
    header: (number) => ({ ...header, number: BigInt(number), baseFeePerGas: 0n }),
    blockHashAt: (number) => new Uint8Array(32).fill(number),
    receiptsJson: (number) =>
      Buffer.from(
        JSON.stringify(
          chain[number]?.map((tip) => ({ gasUsed: '0x5208', effectiveGasPrice: `0x${tip.toString(16)}` })) ??
            [],
        ),
      ),
  }
  const head = () => ({
    header: { ...header, number: BigInt(chain.length - 1) },
    hash: new Uint8Array(32).fill(chain.length - 1),
  })
  const openOracle = () =>
    new FeeOracle(
      { config: parseChainConfig({ chainId: 1 }), historyCap: 10 },
      {
        blocks: blocks as BlockStoreReader,
        rules: { baseFeeAfter: () => 0n, minGasPrice: () => 0n, defaultTip: () => 1n },
        head,
        resolve: () => 0,
        pending: undefined,
      },
    )
  return { chain, openOracle }
}

test('a suggestion is the same whenever it was asked for before', async () => {
  const { chain, openOracle } = suggesting()
  const early = openOracle()
  for (let block = 0; block < 5; block++) chain.push([30n, 31n, 32n])
  expect(await early.suggestTip()).toBe(31n)
  for (let block = 0; block < 30; block++) {
    chain.push([])
    expect(await early.suggestTip()).toBe(await openOracle().suggestTip())
  }
  for (let block = 0; block < 15; block++) chain.push([])
  expect(await early.suggestTip()).toBe(1n)
})

test('a suggestion does not outlive the blocks that it came from', async () => {
  const { chain, openOracle } = suggesting()
  const oracle = openOracle()
  chain.push([30n, 31n, 32n])
  expect(await oracle.suggestTip()).toBe(31n)
  chain.pop()
  expect(await oracle.suggestTip()).toBe(1n)
})

test('a history counts the memory that it takes, and ends where there is none', async () => {
  const { chain, openOracle } = suggesting()
  for (let block = 0; block < 9; block++) chain.push([30n, 31n, 32n])
  const held: number[] = []
  const ask = (hold: (bytes: number) => void) =>
    openOracle().history(
      1_000,
      { kind: 'number', number: 0n },
      Array.from({ length: 100 }, (_, at) => at),
      {
        signal: new AbortController().signal,
        hold,
      },
    )
  const { rewards } = await ask((bytes) => held.push(bytes))
  expect(held).toEqual([(rewards?.length ?? 0) * 12_000])
  const refusing = ask(() => {
    throw new Error('too much is under way')
  })
  await expect(refusing).rejects.toThrow('too much is under way')
})
