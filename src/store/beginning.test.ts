import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChain } from '../../test/support/blocks.ts'
import { keccak256 } from '../base/crypto/crypto.ts'
import { toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { type BlockRows, type ExecutedBlock, encodeBlockRows } from './blockRows.ts'
import { BlockStore } from './blockStore.ts'
import { StoreCheck } from './check/storeCheck.ts'
import { NativeBlockReader } from './nativeRows.ts'
import { metaKeys, tableNames } from './tables/chainTables.ts'

const nativeHash = (hash: Uint8Array): Uint8Array => keccak256(hash)

/** Returns the same chain with hashes that are not those of its headers. */
const withForeignHashes = (chain: readonly ExecutedBlock[]): ExecutedBlock[] =>
  chain.map((block) => ({
    ...block,
    hash: nativeHash(block.hash),
    header: { ...block.header, parentHash: nativeHash(block.header.parentHash) },
  }))

const shapes = Array.from({ length: 8 }, (_, index) => ({ transactions: index % 3, maxLogs: 3 }))

describe('a store that does not begin with block 0', () => {
  let folder: string
  let environment: LmdbEnvironment
  let store: BlockStore

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-beginning-'))
    environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
    store = new BlockStore(environment)
  })

  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  const faults = (): string[] =>
    [...new StoreCheck(store, environment).run()].map(({ number, problem }) => `${number}: ${problem}`)

  const write = async (blocks: readonly BlockRows[]): Promise<void> =>
    environment.transact(() => {
      for (const rows of blocks) store.write(rows)
    })

  const native = (rows: BlockRows): BlockRows => ({
    ...rows,
    native: {
      hash: keccak256(rows.header),
      transactions: rows.index.map(({ hash }) => ({ hash: keccak256(hash), hasFailed: false })),
      info: Buffer.from(`facts of ${rows.number}`),
    },
  })

  test('begins at any height, gives nothing below it, and is sound', async () => {
    const rows = withForeignHashes(createChain(1, shapes)).map(encodeBlockRows)
    const first = rows[3] as BlockRows
    await environment.transact(() => store.initialize(first, '{}', { hasNativeHashes: true }))
    await write(rows.slice(4))
    expect(faults()).toEqual([])
    expect([store.meta.first(), store.earliest(), store.oldestComplete(), store.meta.oldestBody()]).toEqual([
      3, 3, 3, 3,
    ])
    expect([0, 2, 3, 8].map((number) => store.isRetained(number))).toEqual([false, false, true, true])
    expect(store.header(2)).toBeUndefined()
    expect(store.blockJson(3, true)).toBeDefined()
    expect(store.appearances.from()).toBe(3)
    await environment.transact(() => store.pruneBelow(6, 100))
    expect([store.meta.first(), store.earliest(), store.oldestComplete()]).toEqual([3, 6, 6])
    expect(faults()).toEqual([])
    await environment.transact(() => store.revertTo(6))
    expect(store.head()?.number).toBe(6)
    expect(faults()).toEqual([])
  })

  test('a hash that is not its header’s is a problem unless the chain has native hashes', async () => {
    const rows = withForeignHashes(createChain(2, shapes)).map(encodeBlockRows)
    await environment.transact(() => store.initialize(rows[1] as BlockRows, '{}'))
    expect(faults()).toEqual(['1: the header does not have the hash it is kept with'])
  })

  test('a head that turned out to be wrong is replaced, also the only block and under the same hash', async () => {
    const chain = withForeignHashes(createChain(5, [{ transactions: 40, maxData: 900 }, { transactions: 2 }]))
    const [, wrong, next] = chain as [ExecutedBlock, ExecutedBlock, ExecutedBlock]
    const right: ExecutedBlock = {
      ...wrong,
      header: { ...wrong.header, gasUsed: wrong.header.gasUsed + 1n },
      transactions: wrong.transactions.slice(0, 39),
    }
    await environment.transact(() =>
      store.initialize(native(encodeBlockRows(wrong)), '{}', { hasNativeHashes: true }),
    )
    // What is read again is cached, and must not outlive the block.
    const [, before] = [store.blockJson(1, true), store.blockJson(1, true)]
    expect(store.blockJson(1, true)).toBe(before)
    expect(store.header(1)?.gasUsed).toBe(wrong.header.gasUsed)
    await environment.transact(() => store.replaceHead(native(encodeBlockRows(right))))
    expect(store.header(1)?.gasUsed).toBe(right.header.gasUsed)
    const now = JSON.parse(Buffer.from(store.blockJson(1, true) ?? []).toString()) as { transactions: [] }
    expect(now.transactions.length).toBe(39)
    expect(store.locate(wrong.transactions[39]?.hash as Uint8Array)).toBeUndefined()
    expect(new NativeBlockReader(environment).block(1)?.transactions.length).toBe(39)
    expect(store.meta.appearancesFrom()).toBe(1)
    await expect(environment.transact(() => store.replaceHead(encodeBlockRows(next)))).rejects.toThrow(
      'cannot replace the head',
    )
  })

  test('keeps the native side of a block as long as the block', async () => {
    const rows = createChain(6, shapes).map(encodeBlockRows).map(native)
    await environment.transact(() => store.initialize(rows[1] as BlockRows, '{}'))
    await write(rows.slice(2))
    const reader = new NativeBlockReader(environment)
    const block = rows[6] as BlockRows
    const hash = block.native?.transactions[1]?.hash as Uint8Array
    expect(reader.locate(hash)).toEqual({ number: 6, index: 1 })
    expect(reader.numberOf(block.native?.hash as Uint8Array)).toBe(6)
    expect(Buffer.from(reader.block(6)?.info ?? []).toString()).toBe('facts of 6')
    await environment.transact(() => store.pruneBelow(7, 100))
    expect(reader.locate(hash)).toBeUndefined()
    expect(toHex(reader.block(6)?.hash as Uint8Array)).toBe(toHex(block.native?.hash as Uint8Array))
    expect(reader.block(6)?.info.length).toBe(0)
    await environment.transact(() => store.revertTo(7))
    expect(reader.block(8)).toBeUndefined()
    expect(reader.numberOf(rows[8]?.native?.hash as Uint8Array)).toBeUndefined()
    expect(faults()).toEqual([])
  })

  test('of the same bytes, those that did not fail are found', async () => {
    const rows = createChain(7, shapes).map(encodeBlockRows)
    const hash = keccak256(Uint8Array.of(1))
    const withNative = (number: number, hasFailed: boolean): BlockRows => ({
      ...(rows[number] as BlockRows),
      native: {
        hash: keccak256(Uint8Array.of(2, number)),
        transactions: [{ hash, hasFailed }],
        info: new Uint8Array(),
      },
    })
    await environment.transact(() => store.initialize(withNative(1, true), '{}'))
    const reader = new NativeBlockReader(environment)
    const includingBlock = (): number | undefined => reader.locate(hash)?.number
    expect(includingBlock()).toBe(1)
    await write([withNative(2, false)])
    expect(includingBlock()).toBe(2)
    await write([withNative(3, true)])
    expect(includingBlock()).toBe(2)
  })

  test('a store of the schema before is used as it is', async () => {
    const rows = createChain(8, shapes).map(encodeBlockRows)
    await environment.transact(() => {
      store.initialize(rows[0] as BlockRows, '{}')
      environment.table(tableNames.meta).put(metaKeys.schema, Uint8Array.of(2))
    })
    store = new BlockStore(environment)
    await write(rows.slice(1))
    expect([store.earliest(), store.oldestComplete()]).toEqual([0, 0])
    expect(faults()).toEqual([])
  })
})
