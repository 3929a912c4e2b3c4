import { afterEach, describe, expect, test } from 'vitest'
import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { decodeHeader, encodeHeader, type Header } from '../../../src/chain/block/header.ts'
import { upperHex } from '../../../src/comet/data/cometJson.ts'
import { resultsHash } from '../../../src/comet/data/contentHashes.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { parseHeader } from '../../../src/comet/data/parseHeader.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import { eventually } from '../../support/eventually.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type Following, inspect, Opened } from './harness.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

interface ToldEvent {
  readonly type: string
  readonly attributes: { readonly key: string; value: string }[]
}

/** The members of results, of which an event has its own names. */
interface Told {
  app_hash?: string
  readonly events?: readonly ToldEvent[]
  readonly finalize_block_events?: readonly ToldEvent[]
}

type Alter = NonNullable<Faults['alter']>

/** Tells another Ethereum header of a block, with or without the application hash that it would have. */
const forging =
  (height: number, edit: (header: Header) => Header, tellsAppHash: boolean): Alter =>
  (method, result, params) => {
    if (params.height !== String(height) || !['NewBlock', 'block_results'].includes(method)) return result
    const told =
      method === 'NewBlock'
        ? (result as { data: { value: { result_finalize_block: Told } } }).data.value.result_finalize_block
        : (result as Told)
    const events = told.finalize_block_events ?? told.events ?? []
    const attribute = events
      .find(({ type }) => type === 'ethereum_header')
      ?.attributes.find(({ key }) => key === 'rlp')
    if (attribute === undefined) throw new Error('there is no header')
    const rlp = encodeHeader(edit(decodeHeader(Buffer.from(attribute.value, 'base64'))))
    attribute.value = Buffer.from(rlp).toString('base64')
    if (tellsAppHash) told.app_hash = Buffer.from(keccak256(rlp)).toString('base64')
    else delete told.app_hash
    return result
  }

const withOtherState = (header: Header): Header => ({ ...header, stateRoot: new Uint8Array(32).fill(7) })
const withOtherParent = (header: Header): Header => ({ ...header, parentHash: new Uint8Array(32).fill(7) })

describe('headers of a chain of this program', () => {
  const createChain = (length: number) => new SyntheticChain({ family: 'perihelion', length, seed: 3 })

  const twoNodes = async (length: number) => {
    const chain = createChain(length)
    const liar = await opened.serve({ chain })
    const honest = await opened.serve({ chain: createChain(length) })
    const path = opened.folder()
    const start = () => opened.follow(chain, [liar, honest], { path })
    return { chain, liar, honest, path, start }
  }

  const expectHonest = async (following: Following, path: string, chain: SyntheticChain, head: number) => {
    await following.close()
    expect(following.failures).toEqual([])
    expect(await inspect(path)).toEqual({ faults: [], first: 0, head })
    const newest = following.heads.at(-1)
    expect(toHex(newest?.hash ?? new Uint8Array())).toBe(toHex(chain.built(head)?.appHash as Uint8Array))
  }

  test('are proven by the next block also where a node leaves out the application hash', async () => {
    const { chain, liar, path, start } = await twoNodes(20)
    await liar.setFaults({ alter: forging(12, withOtherState, false) })
    const following = await start()
    await following.until(20)
    expect(following.quarantined.join()).toContain('is not the one that the next header names')
    await expectHonest(following, path, chain, 20)
  })

  test('of the newest block are proven so too, and rewritten', async () => {
    const { chain, liar, honest, path, start } = await twoNodes(10)
    const following = await start()
    await following.until(10)
    const grow = async (height: number) => {
      liar.grow()
      honest.grow()
      await following.until(height)
    }
    await grow(11)
    await liar.setFaults({ alter: forging(12, withOtherState, false) })
    await grow(12)
    expect(toHex(following.heads.at(-1)?.hash as Uint8Array)).not.toBe(
      toHex(chain.built(12)?.appHash as Uint8Array),
    )
    await liar.setFaults({})
    await grow(13)
    expect(following.heads.filter(({ isCorrection }) => isCorrection).map(({ number }) => number)).toEqual([
      12,
    ])
    expect(following.quarantined.join()).toContain('is not what the next header says')
    await expectHonest(following, path, chain, 13)
  })

  test('that name another parent cost their node its place, and not the follower', async () => {
    const { chain, liar, honest, path, start } = await twoNodes(10)
    const following = await start()
    await following.until(10)
    await liar.setFaults({ alter: forging(11, withOtherParent, true) })
    liar.grow()
    honest.grow()
    await following.until(11)
    expect(following.quarantined.join()).toContain('does not follow the block before it')
    await expectHonest(following, path, chain, 11)
  })
})

test('a next header that nobody signed does not rewrite the newest block', async () => {
  const content = { transactions: 2 }
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 10, seed: 3, content })
  const replay = await opened.serve({ chain })
  const path = opened.folder()
  const trust = {
    path: `${path}.trust`,
    root: undefined,
    trustingPeriodMs: undefined,
    maxClockDriftMs: 10_000,
  }
  const first = await opened.follow(chain, [replay], { path, trust })
  await first.until(10)
  await first.close()
  replay.grow()
  const moreGas = (result: unknown): unknown => {
    for (const one of (result as { txs_results: { gas_used: string }[] }).txs_results)
      one.gas_used = String(Number(one.gas_used) + 1)
    return result
  }
  const results = parseResults(moreGas(JSON.parse(chain.results(10) ?? '')))
  await replay.setFaults({
    alter: (method, result, { height }) => {
      if (method === 'block_results' && height === '10') return moreGas(result)
      if (method !== 'block' || height !== '11') return result
      const told = result as { block: { header: { last_results_hash: string } }; block_id: { hash: string } }
      told.block.header.last_results_hash = upperHex(resultsHash(results.transactions))
      told.block_id.hash = upperHex(headerHash(parseHeader(told.block.header)))
      return told
    },
  })
  const second = await opened.follow(chain, [replay], { path, trust })
  await eventually(() => second.quarantined.length > 0)
  await second.close()
  expect(second.heads).toEqual([])
  expect(second.lies[0]).toMatchObject({ kind: 'other header', height: 11 })
  expect(await inspect(path)).toEqual({ faults: [], first: 1, head: 10 })
})
