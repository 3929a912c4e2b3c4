import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { createTxFromRLP } from '@ethereumjs/tx'
import { describe, expect, test } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { ResultsStream } from '../../../src/comet/client/resultsStream.ts'
import { resultsHash } from '../../../src/comet/data/contentHashes.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseNewBlock } from '../../../src/comet/data/parseNewBlock.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import { verifyBlock, verifyResults } from '../../../src/comet/data/verifyBlock.ts'
import { checkConsistency } from '../../../src/families/convert/consistency.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import { describeSome, slow, testSome } from '../../support/slow.ts'
import { served } from '../recordings/recordings.ts'
import { receiptsOf } from '../replay/block/buildBlock.ts'
import { expectedBlock } from '../replay/block/expected.ts'
import { wrap } from '../replay/block/native.ts'
import { compact } from '../replay/block/signing.ts'
import { orderedRoot } from '../replay/block/trie.ts'
import { families } from '../replay/families.ts'
import { SyntheticChain, type SyntheticOptions } from '../replay/synthetic.ts'
import { toChainInfo, toConversionContext } from './replayChainInfo.ts'

const length = 60

/** Every block of a chain through the gateway's pure path, field by field against what the generator knows. */
const compare = (chain: SyntheticChain): { transactions: number; kinds: Set<string> } => {
  const facts = toChainInfo(chain)
  const kinds = new Set<string>()
  let transactions = 0
  let parent: { height: number; hash: Uint8Array } | undefined
  for (let height = chain.earliest; height <= chain.head; height++) {
    const built = chain.built(height)
    if (built === undefined) throw new Error(`block ${height} is missing`)
    const block = parseBlock(JSON.parse(chain.block(height) ?? ''))
    const results = parseResults(JSON.parse(chain.results(height) ?? ''))
    verifyBlock(block, { chainId: facts.nativeChainId, height, parent })
    const next = chain.block(height + 1)
    if (next !== undefined) verifyResults(results, parseBlock(JSON.parse(next)).header)
    const converted = convertBlock(block, results, toConversionContext(chain, height), facts)
    checkConsistency(converted)
    const { full, receipts } = served(converted)
    const expected = expectedBlock(built, chain.traits.hasConfig ? 'prague' : 'london')
    expect(full, `block ${height}`).toEqual(expected.block)
    expect(receipts, `receipts ${height}`).toEqual(expected.receipts)
    for (const { tx, outcome } of built.executed)
      kinds.add(`type ${tx.type} ${outcome.error || outcome.success}`)
    transactions += built.executed.length
    parent = { height, hash: block.hash }
  }
  return { transactions, kinds }
}

describeSome(2, families.toReversed())('%s', (family) => {
  test(`${length} varied blocks are converted as the generator knows them`, () => {
    const { transactions, kinds } = compare(new SyntheticChain({ family, length, seed: 5 }))
    expect(transactions).toBeGreaterThan(100)
    const types = family === 'ethermint' || family === 'cosmos-evm-0.1' ? [0, 1, 2] : [0, 1, 2, 4]
    for (const type of types)
      for (const outcome of ['true', 'execution reverted']) expect(kinds).toContain(`type ${type} ${outcome}`)
  })

  test('results that are parsed while they arrive give the same block', () => {
    const returnBytes = (height: number) => (height % 2 === 0 ? 50_000 : undefined)
    const chain = new SyntheticChain({ family, length: 20, seed: 8, returnBytes })
    const facts = toChainInfo(chain)
    let dropped = 0
    for (let height = 1; height <= 20; height++) {
      const text = chain.results(height) ?? ''
      const stream = new ResultsStream(height)
      const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${text}}`)
      for (let at = 0; at < bytes.length; at += 1_001) stream.push(bytes.subarray(at, at + 1_001))
      const reply = JSON.parse(stream.end().toString()) as { result: unknown }
      const streamed = stream.assemble(reply.result)
      const whole = parseResults(JSON.parse(text))
      expect(toHex(resultsHash(streamed.transactions))).toBe(toHex(resultsHash(whole.transactions)))
      const block = parseBlock(JSON.parse(chain.block(height) ?? ''))
      const convert = (results: typeof whole) =>
        convertBlock(block, results, toConversionContext(chain, height), facts)
      expect(convert(streamed)).toEqual(convert(whole))
      const sizeOf = ({ transactions }: typeof whole) =>
        transactions.reduce((sum, { data }) => sum + data.length, 0)
      dropped += sizeOf(whole) - sizeOf(streamed)
    }
    expect(dropped).toBeGreaterThan(500_000)
  })

  test('the event of a new block tells the same as the block', () => {
    const chain = new SyntheticChain({ family, length: 20, seed: 6 })
    for (let height = 1; height <= 20; height++) {
      const { block, results } = parseNewBlock({
        data: { type: 'tendermint/event/NewBlock', value: JSON.parse(chain.newBlock(height) ?? '') },
      })
      const asked = parseBlock(JSON.parse(chain.block(height) ?? ''))
      expect({ ...block, hash: toHex(block.hash) }).toEqual({ ...asked, hash: toHex(asked.hash) })
      if (results !== undefined)
        expect(results).toEqual(parseResults(JSON.parse(chain.results(height) ?? '')))
      expect(results === undefined).toBe(chain.oldEngine)
    }
  })
})

describe('a chain with a past', () => {
  const pasts: SyntheticOptions[] = [
    { family: 'ethermint', oldDataBelow: 20 },
    { family: 'cosmos-evm-0.4', before: { height: 20, family: 'cosmos-evm-0.1' } },
    { family: 'cosmos-evm-0.7', before: { height: 20, family: 'cosmos-evm-0.4' } },
    { family: 'cosmos-evm-0.5', before: { height: 20, family: 'ethermint' } },
    { family: 'cosmos-evm-0.7', initialHeight: 5_000_000 },
  ]
  testSome(1, pasts)('%o', (options) => {
    expect(compare(new SyntheticChain({ ...options, length: 30, seed: 7 })).transactions).toBeGreaterThan(40)
  })
})

/** The generator is checked too, with other people's tries and transactions. */
describe('the generator', () => {
  test('has the roots and transactions that @ethereumjs has', async () => {
    const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', content: { transactions: 150 }, length: 2 })
    const varied = new SyntheticChain({ family: 'perihelion', length: 30, seed: 8 })
    const common = new Common({
      chain: { ...Mainnet, chainId: Number(varied.traits.chainId) },
      hardfork: Hardfork.Prague,
    })
    for (const built of [chain.built(2), ...Array.from({ length: 30 }, (_, at) => varied.built(at + 1))]) {
      if (built === undefined) throw new Error('a block is missing')
      for (const values of [built.executed.map(({ tx }) => tx.raw), receiptsOf(built.executed)]) {
        const trie = await createMPT()
        for (const [index, value] of values.entries())
          await trie.put(RLP.encode(compact(BigInt(index))), value)
        expect(toHex(orderedRoot(values))).toBe(toHex(trie.root()))
      }
    }
    for (let height = 1; height <= 30; height++)
      for (const { tx } of varied.built(height)?.executed ?? []) {
        const theirs = createTxFromRLP(tx.raw, { common })
        expect(toHex(theirs.hash())).toBe(toHex(tx.hash))
        expect(theirs.getSenderAddress().toString()).toBe(toHex(tx.from))
      }
  })

  test('takes what the wrapping of a family writes', slow, () => {
    for (const family of families) {
      const source = new SyntheticChain({ family, length: 40, seed: 9 })
      const target = new SyntheticChain({ family, length: 1, seed: 9, content: 'empty' })
      const first = Array.from({ length: 40 }, (_, at) => source.built(at + 1)?.executed ?? []).flat()[0]
      if (first === undefined) throw new Error('there is no transaction')
      expect(target.submit(wrap([first.tx], target.traits)), family).toEqual({
        code: 0,
        codespace: '',
        log: '',
      })
      target.grow()
      expect(toHex(target.built(2)?.executed[0]?.tx.hash ?? new Uint8Array(0))).toBe(toHex(first.tx.hash))
    }
  })
})
