import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chainInfo, convertedAt } from '../../../test/gateway/recordings/recordings.ts'
import { createRandom } from '../../../test/support/random.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { toBech32 } from '../../chain/bech32.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { LogPattern } from '../../chain/port/logs.ts'
import type { NativeTransactionInfo } from '../../families/convert/convertedBlock.ts'
import { encodeNativeBlockInfo, NativeBlockInfoReader } from '../../families/convert/nativeBlockInfo.ts'
import { StoredBlockReader } from '../../served/storedBlockReader.ts'
import { StoredLogReader } from '../../served/storedLogReader.ts'
import { type BlockRows, encodeBlockRows } from '../../store/blockRows.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { NativeIndexCheck } from '../../store/check/nativeIndexCheck.ts'
import { NativeIndexReader } from '../../store/index/nativeIndex.ts'
import { openNativeTables } from '../../store/tables/chainTables.ts'
import { withCosmosView } from './cosmosChain.ts'
import { toNativeRows } from './nativeRows.ts'
import { syntheticAddress, toTopic } from './syntheticLogs.ts'
import { denomAddress } from './tokenLogs.ts'

const random = createRandom(82)
const recorded = convertedAt(144)
const denoms = ['atest', 'ibc/AB', 'factory/x/gold']
const accounts = Array.from({ length: 6 }, (_, index) => new Uint8Array(20).fill(index + 1))
const bech32 = (bytes: Uint8Array) => toBech32({ prefix: 'cosmos', bytes })
const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T
const hashOf = (text: string): Uint8Array => keccak256(Buffer.from(text))

const transaction = (name: string): NativeTransactionInfo => ({
  hash: hashOf(name),
  code: 0,
  codespace: '',
  log: '',
  gasWanted: 1n,
  gasUsed: 1n,
  types: ['/cosmos.bank.v1beta1.MsgSend'],
  ethereumIndexes: [],
  events: [
    { type: 'tx', attributes: [{ key: 'fee_payer', value: bech32(pick(accounts)) }] },
    {
      type: 'transfer',
      attributes: [
        { key: 'recipient', value: bech32(pick(accounts)) },
        { key: 'sender', value: bech32(pick(accounts)) },
        { key: 'amount', value: `${random.below(1_000)}${pick(denoms)}` },
      ],
    },
    ...(random.chance(0.2) ? [{ type: 'delegate', attributes: [] }] : []),
  ],
})

/** Returns the rows of a block with so many Cosmos transactions; every other one has the recorded Ethereum ones too. */
const rowsOf = (number: number, count: number, version = '', isIndexed = true): BlockRows => {
  const parentHash = hashOf(`block ${number - 1}`)
  const hash = hashOf(`block ${number}`)
  const native = {
    ...recorded.native,
    hash,
    height: number,
    transactions: Array.from({ length: count }, (_, index) => transaction(`${version}${number} ${index}`)),
  }
  const info = encodeNativeBlockInfo(native, { resultsHash: new Uint8Array(32), appHash: undefined })
  const { index, ...rest } = toNativeRows(native, info, chainInfo.bech32Prefix)
  return {
    ...encodeBlockRows({
      ...recorded,
      header: { ...recorded.header, number: BigInt(number), parentHash },
      hash,
      transactions: number % 2 === 0 ? recorded.transactions : [],
    }),
    native: isIndexed && index ? { ...rest, index } : rest,
  }
}

let folder: string
let environment: LmdbEnvironment
let store: BlockStore
let plain: Chain
let view: Chain
let tell: (change: HeadChange) => void

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cosmos-index-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  store = new BlockStore(environment)
  plain = {
    config: chainInfo.config,
    blocks: new StoredBlockReader(store, {
      headNumber: () => store.head()?.number ?? 0,
      pending: () => Promise.reject(new Error()),
    }),
    logs: new StoredLogReader(store),
    events: {
      onHead: (listener: typeof tell) => {
        tell = listener
      },
    },
  } as unknown as Chain // no other member is used
  view = withCosmosView(plain, {
    native: new NativeBlockInfoReader(environment),
    logCount: (number) => store.logCount(number),
    index: new NativeIndexReader(openNativeTables(environment), store.meta),
  })
})
afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

const length = 40
const fill = async (indexedFrom = 1): Promise<void> => {
  await environment.transact(() => {
    store.initialize(rowsOf(1, 2, '', indexedFrom <= 1), '{}', { hasNativeHashes: true })
    for (let number = 2; number <= length; number++)
      store.write(rowsOf(number, number === 20 ? 70 : random.below(3), '', number >= indexedFrom))
  })
}

interface LogMembers {
  readonly address: string
  readonly topics: readonly string[]
}
interface ReceiptMembers {
  readonly from: string
  readonly to: string | null
  readonly logs: readonly LogMembers[]
}

const numbers = (): number[] => {
  const head = store.head()?.number ?? 0
  const oldest = store.meta.oldestBody()
  return Array.from({ length: head - oldest + 1 }, (_, index) => oldest + index)
}

const receiptsAt = (number: number): readonly ReceiptMembers[] =>
  JSON.parse(Buffer.from(view.blocks.receiptsJson(number) as Uint8Array).toString()) as ReceiptMembers[]

const search = (chain: Chain, pattern: LogPattern): unknown[] =>
  [...chain.logs.search(pattern, numbers()[0] ?? 1, numbers().at(-1) ?? 1)].flatMap(
    ({ text }) => JSON.parse(`[${Buffer.from(text).toString()}]`) as unknown[],
  )

/** Every log of every receipt, compared one by one. */
const scan = ({ addresses, topics }: LogPattern): unknown[] =>
  numbers()
    .flatMap(receiptsAt)
    .flatMap(({ logs }) => logs)
    .filter(
      (log) =>
        (addresses.length === 0 || addresses.map(toHex).includes(log.address as `0x${string}`)) &&
        log.topics.length >= topics.length &&
        topics.every(
          (choices, at) => choices.length === 0 || choices.map(toHex).includes(log.topics[at] as never),
        ),
    )

const transfer = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const word = (address: Uint8Array): Uint8Array => Buffer.concat([new Uint8Array(12), address])
const patterns = (): LogPattern[] => [
  { addresses: [], topics: [] },
  { addresses: [syntheticAddress], topics: [] },
  { addresses: [syntheticAddress], topics: [[toTopic('delegate')]] },
  { addresses: [], topics: [[toTopic('delegate'), toTopic('tx')]] },
  { addresses: denoms.map(denomAddress), topics: [] },
  { addresses: [], topics: [[transfer]] },
  ...accounts.flatMap((account) => [
    { addresses: [denomAddress('atest')], topics: [[transfer], [word(account)]] },
    { addresses: [], topics: [[transfer], [], [word(account)]] },
    { addresses: [], topics: [[], [word(account)], accounts.slice(0, 2).map(word)] },
  ]),
  { addresses: [new Uint8Array(20)], topics: [] },
  { addresses: [], topics: [[new Uint8Array(32)]] },
]

const expectSearches = (): void => {
  for (const pattern of patterns()) expect(search(view, pattern)).toEqual(scan(pattern))
}

const expectIndex = (): void => {
  const check = new NativeIndexCheck(environment, store.meta)
  const problems = numbers().flatMap((number) => [...check.block(number)])
  expect([...problems, ...check.rest()]).toEqual([])
}

describe('logs of the Cosmos view', () => {
  it('are found through the index, as a scan of every block finds them', async () => {
    await fill()
    expect(scan({ addresses: denoms.map(denomAddress), topics: [] }).length).toBeGreaterThan(80)
    expectSearches()
    expectIndex()
  })

  it('are never found in the Ethereum view', async () => {
    await fill()
    expect(search(plain, { addresses: [syntheticAddress, ...denoms.map(denomAddress)], topics: [] })).toEqual(
      [],
    )
    for (const account of accounts)
      expect(
        plain.logs.appearances({ address: account, from: undefined, direction: 'forward', limit: 100 }),
      ).toEqual([])
  })

  it('are found in blocks that were stored before there was an index', async () => {
    await fill(25)
    expect(store.meta.nativeLogsFrom()).toBe(25)
    expectSearches()
  })

  it('go with the blocks that are reverted, replaced and pruned', async () => {
    await fill()
    await environment.transact(() => store.revertTo(30))
    tell({ kind: 'reverted', to: 30, removedLogs: () => [] })
    expectSearches()
    expectIndex()
    search(view, { addresses: [], topics: [] }) // the blocks are cached now
    await environment.transact(() => store.replaceHead(rowsOf(30, 5, 'again ')))
    tell({ kind: 'reverted', to: 29, removedLogs: () => [] })
    expect(receiptsAt(30)).toHaveLength(recorded.transactions.length + 5)
    expectSearches()
    await environment.transact(() => store.pruneBelow(22, 100))
    expect(numbers()[0]).toBe(22)
    expectSearches()
    expectIndex()
    expect(store.meta.isIntact()).toBe(true)
  })

  it('stop a search that a revert meets', async () => {
    await fill()
    const found = view.logs
      .search({ addresses: [syntheticAddress], topics: [] }, 1, length)
      [Symbol.iterator]()
    found.next()
    tell({ kind: 'reverted', to: 30, removedLogs: () => [] })
    expect(() => found.next()).toThrow('try again')
  })
})

describe('appearances in the Cosmos view', () => {
  /** Every transaction whose fee payer, sender or recipient the account is. */
  const expected = (address: Uint8Array): TransactionLocation[] =>
    numbers().flatMap((number) =>
      receiptsAt(number).flatMap(({ from, logs }, index) =>
        from === toHex(address) || logs.some(({ topics }) => topics.includes(toHex(word(address))))
          ? [{ number, index }]
          : [],
      ),
    )

  it('are those of Ethereum and of Cosmos transactions, in both directions and by pages', async () => {
    await fill()
    for (const address of accounts) {
      const all = expected(address)
      expect(all.length).toBeGreaterThan(20)
      for (const direction of ['forward', 'backward'] as const) {
        const ordered = direction === 'forward' ? all : all.toReversed()
        const query = { address, direction }
        expect(view.logs.appearances({ ...query, from: undefined, limit: 1_000 })).toEqual(ordered)
        expect(view.logs.appearances({ ...query, from: undefined, limit: 7 })).toEqual(ordered.slice(0, 7))
        for (const [at, from] of ordered.entries())
          expect(view.logs.appearances({ ...query, from, limit: 3 })).toEqual(ordered.slice(at, at + 3))
      }
    }
  })

  it('begin before the Cosmos transactions of a block where a page ends among the Ethereum ones', async () => {
    await fill()
    const [address] = accounts as [Uint8Array]
    const before = { number: 20, index: 3 }
    const isBefore = ({ number }: TransactionLocation): boolean => number < 20
    const found = view.logs.appearances({ address, from: before, direction: 'backward', limit: 100 })
    expect(found).toEqual(expected(address).filter(isBefore).reverse())
    const after = view.logs.appearances({ address, from: before, direction: 'forward', limit: 100 })
    expect(after).toEqual(
      expected(address)
        .filter((location) => !isBefore(location))
        .slice(0, 100),
    )
  })

  it('have the transactions of a token and of the view itself', async () => {
    await fill()
    const query = { from: undefined, direction: 'forward', limit: 1_000 } as const
    const all = view.logs.appearances({ ...query, address: syntheticAddress })
    const count = numbers().reduce((sum, number) => sum + (view.blocks.transactionCount(number) ?? 0), 0)
    const ethereum = numbers().reduce((sum, number) => sum + (plain.blocks.transactionCount(number) ?? 0), 0)
    expect(all).toHaveLength(count - ethereum)
    const gold = view.logs.appearances({ ...query, address: denomAddress('factory/x/gold') })
    expect(gold.length).toBeGreaterThan(5)
    expect(gold.length).toBeLessThan(all.length)
  })
})
