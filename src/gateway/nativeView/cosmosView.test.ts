import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256, stringToBytes, toHex as viemHex } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chainInfo, convertedAt } from '../../../test/gateway/recordings/recordings.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { encodeNativeBlockInfo, NativeBlockInfoReader } from '../../families/convert/nativeBlockInfo.ts'
import { StoredBlockReader } from '../../served/storedBlockReader.ts'
import { StoredLogReader } from '../../served/storedLogReader.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { NativeIndexReader } from '../../store/index/nativeIndex.ts'
import { NativeBlockStore } from '../../store/nativeRows.ts'
import { openNativeTables } from '../../store/tables/chainTables.ts'
import { withCosmosView } from './cosmosChain.ts'
import { toNativeRows } from './nativeRows.ts'
import { syntheticAddress, toTopic } from './syntheticLogs.ts'
import { denomAddress } from './tokenLogs.ts'

interface Marked {
  readonly hash: string
  readonly type: string
  readonly transactionIndex: string
  readonly from: string
  readonly cosmos?: { readonly hash: string; readonly types: readonly string[]; readonly code: number }
}
interface BlockJson {
  readonly transactions: readonly Marked[]
}
interface LogJson {
  readonly logIndex: string
  readonly transactionIndex: string
  readonly topics: readonly string[]
  readonly data: string
  readonly cosmos?: { readonly event: string }
}
interface ReceiptJson extends Marked {
  readonly transactionHash: string
  readonly status: string
  readonly cumulativeGasUsed: string
  readonly logs: readonly LogJson[]
}

let folder: string
let environment: LmdbEnvironment
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cosmos-view-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
})
afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

/** Opens a store with one recorded block, as the follower would have written it. */
const open = async (height: number) => {
  const converted = convertedAt(height)
  const info = encodeNativeBlockInfo(converted.native, {
    resultsHash: new Uint8Array(32),
    appHash: undefined,
  })
  const native = toNativeRows(converted.native, info, chainInfo.bech32Prefix)
  const store = new BlockStore(environment)
  const rows = { ...encodeBlockRows(converted), native }
  await environment.transact(() => store.initialize(rows, '{}', { hasNativeHashes: true }))
  const plain = {
    config: chainInfo.config,
    blocks: new StoredBlockReader(store, {
      headNumber: () => height,
      pending: () => Promise.reject(new Error()),
    }),
    logs: new StoredLogReader(store),
    events: { onHead: () => () => undefined },
  } as unknown as Chain // no other member is used
  const stored = new NativeBlockInfoReader(environment)
  const view = withCosmosView(plain, {
    native: stored,
    logCount: (number) => store.logCount(number),
    index: new NativeIndexReader(openNativeTables(environment), store.meta),
  })
  return { plain, view, converted }
}

const parse = <T>(bytes: Uint8Array | undefined): T =>
  JSON.parse(Buffer.from(bytes as Uint8Array).toString()) as T
const everything = { addresses: [], topics: [] }
const search = (chain: Chain, pattern: Parameters<Chain['logs']['search']>[0], height: number): LogJson[] =>
  [...chain.logs.search(pattern, height, height)].flatMap(({ text, count, logs }) => {
    const found = JSON.parse(`[${Buffer.from(text).toString()}]`) as LogJson[]
    expect([count, logs.length]).toEqual([found.length, found.length])
    return found
  })

describe('a block with a bank send in the Cosmos view', () => {
  const height = 144
  const nativeHash = '44F9F59C8A7462D336C66F4764B04F0631BD9B4EB5C75B8DF5076E6258C045A4'
  // Computed without our code, by the rule in the documentation.
  const hash = keccak256(`${viemHex('perihelion:cosmos-transaction:')}${nativeHash.toLowerCase()}`)

  it('has it behind the others, marked, under a hash that never changes', async () => {
    const { plain, view } = await open(height)
    const before = parse<BlockJson>(plain.blocks.blockJson(height, true))
    const after = parse<BlockJson>(view.blocks.blockJson(height, true))
    const count = before.transactions.length
    expect(count).toBeGreaterThan(5)
    expect(after).toEqual({ ...before, transactions: after.transactions })
    expect(after.transactions.slice(0, count)).toEqual(before.transactions)
    expect(after.transactions).toHaveLength(count + 1)
    const [synthetic] = after.transactions.slice(count)
    expect(synthetic).toMatchObject({
      hash,
      type: '0x9c',
      transactionIndex: `0x${count.toString(16)}`,
      from: '0x498b5aec5d439b733dc2f58ab489783a23fb26da',
      cosmos: { hash: nativeHash, types: ['/cosmos.bank.v1beta1.MsgSend'], code: 0 },
    })
    const hashes = parse<{ transactions: string[] }>(view.blocks.blockJson(height, false)).transactions
    expect(hashes.at(-1)).toBe(hash)
    expect(view.blocks.transactionCount(height)).toBe(count + 1)
  })

  it('finds it by its hash and by its location, with its receipt', async () => {
    const { plain, view, converted } = await open(height)
    const count = converted.transactions.length
    const location = { number: height, index: count }
    expect(plain.blocks.locate(fromHex(hash))).toBeUndefined()
    expect(view.blocks.locate(fromHex(hash))).toEqual(location)
    // The native hash does not locate it here; only the cosmos namespace uses it.
    expect(view.blocks.locate(fromHex(`0x${nativeHash}`))).toBeUndefined()
    expect(parse<Marked>(view.blocks.transactionJson(location)).hash).toBe(hash)
    expect(view.blocks.transactionRlp(location)).toBeUndefined()
    expect(view.blocks.transactionJson({ ...location, index: count + 1 })).toBeUndefined()
    const receipt = parse<ReceiptJson>(view.blocks.receiptJson(location))
    expect(receipt).toMatchObject({ transactionHash: hash, type: '0x9c', status: '0x1', gasUsed: '0x18bce' })
    const receipts = parse<ReceiptJson[]>(view.blocks.receiptsJson(height))
    expect(receipts.slice(0, count)).toEqual(parse<ReceiptJson[]>(plain.blocks.receiptsJson(height)))
    expect(receipts.at(-1)).toEqual(receipt)
    const gas = BigInt(receipts[count - 1]?.cumulativeGasUsed ?? 0) + 101_326n
    expect(BigInt(receipt.cumulativeGasUsed)).toBe(gas)
  })

  it('shows its events as logs, numbered on from the others', async () => {
    const { plain, view } = await open(height)
    const before = search(plain, everything, height)
    const after = search(view, everything, height)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.map(({ logIndex }) => Number(logIndex))).toEqual(after.map((_, index) => index))
    const address = { addresses: [syntheticAddress], topics: [] }
    const added = after.slice(before.length)
    expect(search(view, address, height)).toEqual(added.filter(({ topics }) => topics.length === 1))
    const tokens = { addresses: [denomAddress('atest')], topics: [] }
    expect(search(view, tokens, height)).toEqual(added.filter(({ topics }) => topics.length === 3))
    // The fee and the amount of the send.
    expect(search(view, tokens, height).map(({ data }) => BigInt(data))).toEqual([200_000_000_000_000n, 77n])
    expect(search(plain, tokens, height)).toEqual([])
    const transfers = search(view, { ...address, topics: [[toTopic('transfer')]] }, height)
    expect(transfers.length).toBeGreaterThan(0)
    for (const { topics, data, cosmos } of transfers) {
      expect(topics).toEqual([keccak256(stringToBytes('cosmos:transfer'))])
      expect(cosmos).toEqual({ event: 'transfer' })
      const attributes = JSON.parse(Buffer.from(fromHex(data)).toString()) as { key: string; value: string }[]
      expect(attributes.map(({ key }) => key)).toContain('recipient')
    }
    expect(search(view, { addresses: [new Uint8Array(20)], topics: [] }, height)).toEqual([])
    expect(search(view, { addresses: [], topics: [[], [new Uint8Array(32)]] }, height)).toEqual(
      search(plain, { addresses: [], topics: [[], [new Uint8Array(32)]] }, height),
    )
    expect(search(view, { addresses: [], topics: [[new Uint8Array(32)]] }, height)).toEqual([])
  })

  it('leaves everything else of the block as it is', async () => {
    const { plain, view } = await open(height)
    for (const read of ['headerJson', 'headerRlp', 'blockRlp', 'receiptsRlp', 'hash'] as const)
      expect(view.blocks[read](height)).toEqual(plain.blocks[read](height))
  })

  it('lets go of the synthetic hash with the block', async () => {
    await open(height)
    const stored = new NativeBlockInfoReader(environment)
    expect(stored.locate(fromHex(hash))).toEqual({ number: height, index: 10 })
    await environment.transact(() => new NativeBlockStore(environment).remove(height))
    expect(stored.locate(fromHex(hash))).toBeUndefined()
  })
})

describe('other blocks in the Cosmos view', () => {
  it('show a Cosmos transaction that failed', async () => {
    const { view, converted } = await open(219)
    const [failed] = parse<ReceiptJson[]>(view.blocks.receiptsJson(219)).slice(converted.transactions.length)
    expect(failed).toMatchObject({ status: '0x0', cosmos: { code: 5, codespace: 'sdk' } })
  })

  it('do not show an Ethereum one that failed before it was executed', async () => {
    const { plain, view } = await open(251)
    expect(view.blocks.blockJson(251, true)).toEqual(plain.blocks.blockJson(251, true))
    expect(view.blocks.transactionCount(251)).toBe(plain.blocks.transactionCount(251))
    expect(search(view, everything, 251)).toEqual(search(plain, everything, 251))
  })

  it('have nothing where there is no block', async () => {
    const { view } = await open(251)
    expect(view.blocks.blockJson(252, true)).toBeUndefined()
    expect(view.blocks.transactionCount(252)).toBeUndefined()
    expect(toHex(view.blocks.hash(251) as Uint8Array)).toMatch(/^0x/)
  })
})
