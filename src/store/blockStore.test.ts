import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BlockShape, createChain } from '../../test/support/blocks.ts'
import { slow } from '../../test/support/slow.ts'
import { toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { decodeBlock } from '../chain/block/block.ts'
import { encodeHeader, headerHash } from '../chain/block/header.ts'
import { encodeReceipt } from '../chain/block/receipt.ts'
import { encodeTransaction } from '../chain/transaction/encode.ts'
import { type BlockRows, type ExecutedBlock, encodeBlockRows } from './blockRows.ts'
import { BlockStore } from './blockStore.ts'
import { toPlainRows } from './check/plainRows.ts'
import { StoreCheck } from './check/storeCheck.ts'
import { fragments } from './packing/fragments.ts'
import { StoreError } from './tables/chainMeta.ts'
import { metaKeys, retiredTables, tableNames } from './tables/chainTables.ts'
import { encodeNumberKey, encodePageKey } from './tables/rowKeys.ts'

const shapes: readonly BlockShape[] = [
  { transactions: 1 },
  { transactions: 0 },
  { transactions: 32, withdrawals: 3 },
  { transactions: 33, ommers: 2 },
  { transactions: 100, maxLogs: 20 },
  { transactions: 5, maxData: 3_000 },
]

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()
const json = (bytes: Uint8Array | undefined): unknown => JSON.parse(text(bytes))

describe('the block store', () => {
  let folder: string
  let environment: LmdbEnvironment
  let store: BlockStore

  const open = (): void => {
    environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
    store = new BlockStore(environment)
  }

  const save = async (chain: readonly ExecutedBlock[]): Promise<void> => {
    for (const block of chain) {
      const rows = encodeBlockRows(block)
      await environment.transact(() => (rows.number === 0 ? store.initialize(rows, '{}') : store.write(rows)))
    }
  }

  const faults = (): string[] =>
    [...new StoreCheck(store, environment).run()].map(({ number, problem }) => `${number}: ${problem}`)

  /** Checks that every way to read a block returns what was written. */
  const expectStored = (block: ExecutedBlock): void => {
    const number = Number(block.header.number)
    expect(store.header(number)).toEqual(block.header)
    expect(store.header(number)).toBe(store.header(number))
    expect(toHex(store.blockHashAt(number) ?? new Uint8Array())).toBe(toHex(block.hash))
    expect(store.numberOf(block.hash)).toBe(number)
    expect(store.transactionCount(number)).toBe(block.transactions.length)
    const decoded = decodeBlock(store.blockRlp(number) as Uint8Array)
    expect(headerHash(decoded.header)).toEqual(block.hash)
    expect(decoded.ommers.length).toBe(block.ommers.length)
    expect(decoded.withdrawals).toEqual(block.withdrawals)
    const full = json(store.blockJson(number, true)) as { transactions: unknown[]; size: string }
    const short = json(store.blockJson(number, false)) as { transactions: unknown[] }
    expect(Number(full.size)).toBe(store.blockRlp(number)?.length)
    expect(short.transactions).toEqual(block.transactions.map(({ hash }) => toHex(hash)))
    expect({ ...full, transactions: 0 }).toEqual({ ...short, transactions: 0 })
    const receipts = json(store.receiptsJson(number)) as { logs: unknown[] }[]
    expect(receipts.length).toBe(block.transactions.length)
    expect(store.senders(number)).toEqual(block.transactions.map(({ sender }) => sender))
    const consensus = store.receipts(number) ?? []
    let logIndex = 0
    for (const [index, { raw, hash, sender, transaction, receipt }] of block.transactions.entries()) {
      expect(toHex(store.rawTransaction(number, index) as Uint8Array)).toBe(toHex(raw))
      expect(json(store.transactionJson(number, index))).toEqual(full.transactions[index])
      expect(json(store.receiptJson(number, index))).toEqual(receipts[index])
      expect(store.locate(hash)).toEqual({ number, index })
      expect(store.locateBySender(sender, transaction.nonce)).toEqual({ number, index })
      expect(full.transactions[index]).toMatchObject({
        hash: toHex(hash),
        from: toHex(sender),
        transactionIndex: `0x${index.toString(16)}`,
        blockHash: toHex(block.hash),
      })
      const read = consensus[index]
      expect(read && toHex(encodeReceipt(read))).toBe(toHex(encodeReceipt(receipt)))
      for (const [log] of receipt.logs.entries()) {
        expect(json(store.logJson(number, index, logIndex))).toEqual(receipts[index]?.logs[log])
        logIndex++
      }
    }
    expect(store.logCount(number)).toBe(logIndex)
    expect(store.transactionJson(number, block.transactions.length)).toBeUndefined()
    expect(store.receiptJson(number, block.transactions.length)).toBeUndefined()
    expect(store.logJson(number, 0, logIndex + 1)).toBeUndefined()
  }

  const expectAbsent = (block: ExecutedBlock): void => {
    const number = Number(block.header.number)
    expect(store.header(number)).toBeUndefined()
    expect(store.blockJson(number, true)).toBeUndefined()
    expect(store.receiptsJson(number)).toBeUndefined()
    expect(store.blockRlp(number)).toBeUndefined()
    expect(store.numberOf(block.hash)).toBeUndefined()
    for (const { hash, sender, transaction } of block.transactions) {
      expect(store.locate(hash)).toBeUndefined()
      expect(store.locateBySender(sender, transaction.nonce)).toBeUndefined()
    }
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-store-'))
    open()
  })

  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  test('gives back what was written, also after it was closed and opened', slow, async () => {
    expect(store.head()).toBeUndefined()
    for (const seed of [1, 2]) {
      const chain = createChain(seed, shapes)
      await save(chain)
      for (const block of chain) expectStored(block)
      await environment.close()
      open()
      for (const block of chain) expectStored(block)
      expect(store.head()?.number).toBe(shapes.length)
      expect(faults()).toEqual([])
      await environment.close()
      rmSync(folder, { recursive: true })
      open()
    }
  })

  test('reverts blocks, and others can follow', slow, async () => {
    const chain = createChain(3, shapes)
    await save(chain)
    // Twice, because what is requested again is cached.
    for (const block of [...chain, ...chain]) expectStored(block)
    await environment.transact(() => store.revertTo(2))
    for (const block of chain.slice(3)) expectAbsent(block)
    for (const block of chain.slice(0, 3)) expectStored(block)
    expect(store.head()?.number).toBe(2)
    expect(toHex(store.head()?.hash as Uint8Array)).toBe(toHex(chain[2]?.hash as Uint8Array))
    expect(faults()).toEqual([])
    // The same up to block 2, then another history: cached responses about block 3 must not be returned
    // again.
    const other = createChain(3, [...shapes.slice(0, 2), { transactions: 40 }])
    await save(other.slice(3))
    expectStored(other[3] as ExecutedBlock)
    expect(faults()).toEqual([])
  })

  test('gives up old bodies bit by bit and keeps headers and the first block', async () => {
    const chain = createChain(4, shapes)
    await save(chain)
    let oldest = 0
    await environment.transact(() => {
      oldest = store.pruneBelow(5, 2)
    })
    expect(oldest).toBe(3)
    await environment.transact(() => {
      oldest = store.pruneBelow(5, 100)
    })
    expect(oldest).toBe(5)
    for (const number of [1, 2, 3, 4]) {
      expect(store.isRetained(number)).toBe(false)
      expect(store.blockJson(number, true)).toBeUndefined()
      expect(store.extras(number)).toBeUndefined()
      expect(store.header(number)).toEqual(chain[number]?.header)
      for (const { hash } of chain[number]?.transactions ?? []) expect(store.locate(hash)).toBeUndefined()
    }
    for (const number of [0, 5, 6]) expectStored(chain[number] as ExecutedBlock)
    expect(faults()).toEqual([])
    await expect(environment.transact(() => store.revertTo(4))).rejects.toThrow('block 4 is not kept')
  })

  test('gives up no more blocks at once than have so many transactions', async () => {
    const chain = createChain(
      4,
      [3, 0, 4, 5, 1, 1].map((transactions) => ({ transactions })),
    )
    await save(chain)
    const oldest: number[] = []
    for (let step = 0; step < 3; step++)
      await environment.transact(() => {
        oldest.push(store.pruneBelow(6, 100, 6))
      })
    expect(oldest).toEqual([4, 6, 6])
    expect(faults()).toEqual([])
  })

  test('goes back to its first block though the bodies after it are given up', async () => {
    const chain = createChain(4, shapes)
    await save(chain)
    await environment.transact(() => store.pruneBelow(5, 100))
    await environment.transact(() => store.revertTo(0))
    for (const block of chain.slice(1)) expectAbsent(block)
    expect([store.head()?.number, store.oldestComplete()]).toEqual([0, 0])
    expect(faults()).toEqual([])
    await save(chain.slice(1))
    for (const block of chain) expectStored(block)
    expect(faults()).toEqual([])
  })

  test('finds a transaction that is in two blocks when the first is given up', async () => {
    const [first, second, third] = createChain(4, [{ transactions: 2 }, { transactions: 0 }])
    if (!first || !second || !third) throw new Error('the chain is too short')
    const again = second.transactions[1]
    if (!again) throw new Error('there is no transaction')
    const last = { ...third, transactions: [again] }
    await save([first, second, last])
    await environment.transact(() => store.pruneBelow(2, 100))
    expect(store.locate(again.hash)).toEqual({ number: 2, index: 0 })
    expect(store.locateBySender(again.sender, again.transaction.nonce)).toEqual({ number: 2, index: 0 })
    expect(store.locate(second.transactions[0]?.hash as Uint8Array)).toBeUndefined()
  })

  test('a chain that goes on far above its first block', async () => {
    const chain = createChain(9, shapes)
    const [first, second, ...others] = chain.map(encodeBlockRows)
    const begun = others[2]
    if (!first || !second || !begun) throw new Error('the chain is too short')
    const rlps = chain.slice(2, 4).map(({ header }) => encodeHeader(header))
    await environment.transact(() => store.initialize(first, '{}'))
    await expect(
      environment.transact(() => store.startAtSnapshot(begun, [...rlps, ...rlps])),
    ).rejects.toThrow()
    await expect(environment.transact(() => store.startAtSnapshot(begun, rlps.slice(0, 1)))).rejects.toThrow(
      'not follow',
    )
    for (let round = 0; round < 2; round++) {
      await environment.transact(() => store.startAtSnapshot(begun, rlps))
      expect(store.isAtSnapshotStart).toBe(true)
      expectStored(chain[4] as ExecutedBlock)
      expect(store.header(1)).toBeUndefined()
      expect(store.header(2)).toEqual(chain[2]?.header)
      expect([0, 1, 2, 3, 4].map((number) => store.isRetained(number))).toEqual([
        true,
        false,
        false,
        false,
        true,
      ])
      expect(faults()).toEqual([])
      await environment.transact(() => store.revertSnapshotStart())
      expect(store.head()?.number).toBe(0)
      expect(faults()).toEqual([])
    }
    await environment.transact(() => store.startAtSnapshot(begun, rlps))
    await environment.transact(() => store.write(others[3] as BlockRows))
    expectStored(chain[5] as ExecutedBlock)
    expect(faults()).toEqual([])
    expect(() => store.revertSnapshotStart()).toThrow(StoreError)
    await environment.transact(() => store.revertTo(4))
    expect(store.isAtSnapshotStart).toBe(true)
    expect(faults()).toEqual([])
  })

  test('writes nothing of a block that does not follow, or whose transaction fails', async () => {
    const chain = createChain(5, shapes)
    await save(chain.slice(0, 3))
    const stray = encodeBlockRows(chain[4] as ExecutedBlock)
    await expect(environment.transact(() => store.write(stray))).rejects.toThrow('does not follow')
    const next = encodeBlockRows(chain[3] as ExecutedBlock)
    const failed = environment.transact(() => {
      store.write(next)
      throw new Error('the state could not be written')
    })
    await expect(failed).rejects.toThrow('the state could not be written')
    expectAbsent(chain[3] as ExecutedBlock)
    expect(store.head()?.number).toBe(2)
    expect(faults()).toEqual([])
  })

  test('reads rows that are larger than lmdb copies', async () => {
    const chain = createChain(6, [{ transactions: 2, types: [0] }])
    const [genesis, block] = chain as [ExecutedBlock, ExecutedBlock]
    const [first, second] = block.transactions
    if (!first || !second) throw new Error('two transactions')
    const data = new Uint8Array(9_000_000).fill(0xab)
    const transaction = { ...first.transaction, data }
    const huge = { ...first, transaction, raw: encodeTransaction(transaction) }
    await save([genesis, { ...block, transactions: [huge, second] }])
    const found = json(store.transactionJson(1, 0)) as { input: string }
    expect(found.input.length).toBe(18_000_002)
    expect(json(store.transactionJson(1, 1))).toMatchObject({ hash: toHex(second.hash) })
    expect((json(store.blockJson(1, true)) as { transactions: unknown[] }).transactions.length).toBe(2)
  })

  test('keeps the description of the chain and the position of the engine', async () => {
    const [genesis] = createChain(7, [])
    const rows = encodeBlockRows(genesis as ExecutedBlock)
    await environment.transact(() => {
      store.initialize(rows, '{"chainId":31337}')
      store.meta.setEnginePosition(Uint8Array.of(1, 2, 3))
    })
    await environment.close()
    open()
    expect(store.meta.config()).toBe('{"chainId":31337}')
    expect([...(store.meta.enginePosition() ?? [])]).toEqual([1, 2, 3])
    expect(toHex(store.meta.genesisHash() as Uint8Array)).toBe(toHex(rows.hash))
    await expect(environment.transact(() => store.initialize(rows, '{}'))).rejects.toThrow(StoreError)
    expect(() => new BlockStore(environment, { genesisHash: rows.hash })).not.toThrow()
    expect(() => new BlockStore(environment, { genesisHash: new Uint8Array(32) })).toThrow(
      /has the chain of genesis/,
    )
  })

  test('rejects a newer schema in one line', async () => {
    await save(createChain(8, []))
    await environment.transact(() => {
      environment.table(tableNames.meta).put(metaKeys.schema, Uint8Array.of(7))
    })
    expect(() => new BlockStore(environment)).toThrow(
      /^.*data has blocks of schema 7; this program reads 6 and is older than the one that wrote them$/,
    )
  })

  test('the check finds what was damaged', async () => {
    const chain = createChain(9, [{ transactions: 3, maxLogs: 5 }, { transactions: 2 }])
    await save(chain)
    expect(faults()).toEqual([])
    const [, block] = chain as [ExecutedBlock, ExecutedBlock]
    const hash = block.transactions[1]?.hash as Uint8Array
    await environment.transact(() => {
      environment.table(tableNames.places).remove(hash)
    })
    expect(faults()).toEqual([
      '1: the hash of transaction 1 does not lead to it',
      '2: chain.places has 4 rows, 5 are in use',
    ])
    const raw = environment.table(tableNames.raw)
    const [first] = [...raw.getKeys()] as [Uint8Array]
    const page = Buffer.from(raw.get(first) as Uint8Array)
    page[page.length - 1] = (page[page.length - 1] as number) ^ 1
    await environment.transact(() => {
      raw.put(first, page)
    })
    expect(faults()).toEqual(
      expect.arrayContaining(['1: its transactionsRoot is wrong', '1: transaction 2 has another hash']),
    )
    const receipts = environment.table(tableNames.receipts)
    const sound = Buffer.from(receipts.get(first) as Uint8Array).toString('latin1')
    // A packed text names a fragment by one byte, and a status has one digit.
    const status = String.fromCharCode(fragments.indexOf('","status":"'))
    const damage = async (from: string, to: string): Promise<string[]> => {
      const damaged = sound.replace(from, to)
      expect(damaged).not.toBe(sound)
      await environment.transact(() => {
        receipts.put(first, Buffer.from(damaged, 'latin1'))
      })
      return faults()
    }
    expect(await damage(`${status}\x60\x01`, `${status}\x60\x00`)).toContain('1: its receiptsRoot is wrong')
    expect(await damage(`${status}\x60\x01`, `${status}\xff\x01`)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^1: a row cannot be read: /)]),
    )
  })

  test('reads blocks that were written before texts were packed, beside new ones', slow, async () => {
    const chain = createChain(13, shapes)
    for (const [number, block] of chain.entries()) {
      const rows = encodeBlockRows(block)
      const written = number % 2 === 0 ? rows : { ...rows, ...toPlainRows(rows) }
      await environment.transact(() =>
        number === 0 ? store.initialize(written, '{}') : store.write(written as BlockRows),
      )
    }
    for (const block of chain) expectStored(block)
    expect(faults()).toEqual([])
    const plain = environment.table(tableNames.transactions)
    const key = encodePageKey(3, 0)
    const text = Buffer.from(plain.get(key) as Uint8Array).toString('latin1')
    expect(text).toContain('"blockHash":"0x')
    await environment.transact(() => {
      plain.put(key, Buffer.from(text.replace('"gas":"0x', '"gas":"1x'), 'latin1'))
    })
    expect(faults()).toContain('3: its pages in transactions are not as they were written')
    await environment.transact(() => store.revertTo(2))
    expect(faults()).toEqual([])
  })

  test('the two newest blocks are checked however large they are', async () => {
    await save(createChain(12, [{ transactions: 1 }, { transactions: 2, maxLogs: 2 }, { transactions: 12 }]))
    const newest = (): string[] =>
      Array.from(new StoreCheck(store, environment).newest(4, 10), ({ number }) => String(number))
    expect(newest()).toEqual([])
    const damage = (number: number): Promise<void> =>
      environment.transact(() => {
        const headers = environment.table(tableNames.headers)
        const row = Uint8Array.from(headers.get(encodeNumberKey(number)) ?? [])
        headers.put(encodeNumberKey(number), row.fill(7, 0, 32))
      })
    const head = store.head()?.number as number
    await damage(head - 2)
    expect(newest()).toEqual([])
    await damage(head - 1)
    expect(newest()).toContain(String(head - 1))
  })

  test('the check finds what is wrong with the indexes', async () => {
    const chain = createChain(10, [
      { transactions: 3, maxLogs: 5 },
      { transactions: 40, maxLogs: 3 },
    ])
    await save(chain)
    expect(faults()).toEqual([])
    for (const name of ['logLists', 'appearances'] as const) {
      const table = environment.table(tableNames[name])
      const [key] = [...table.getKeys({ limit: 1 })] as [Uint8Array]
      const row = Buffer.from(table.get(key) as Uint8Array)
      const put = (value: Uint8Array): Promise<void> =>
        environment.transact(() => {
          table.put(key, value)
        })
      const damaged = Buffer.from(row)
      damaged[damaged.length - 1] = (damaged[damaged.length - 1] as number) ^ 4
      await put(damaged)
      expect(faults()).toEqual([expect.stringMatching(/: 1 of its entries in chain\.\w+ are wrong$/)])
      await put(row)
      await environment.transact(() => {
        table.remove(key)
      })
      expect(faults()).toEqual(
        expect.arrayContaining([
          expect.stringMatching(new RegExp(`: ${tableNames[name]} has \\d+ entries, \\d+ are in use$`)),
        ]),
      )
      await put(row)
      expect(faults()).toEqual([])
      const stranger = Buffer.alloc(8, 0x77)
      await environment.transact(() => {
        table.put(stranger, row)
      })
      expect(faults()).toEqual([expect.stringMatching(/ entries, \d+ are in use$/)])
      await environment.transact(() => {
        table.remove(stranger)
      })
    }
  })

  test('no retired name is in use', () => {
    expect(Object.values(tableNames).filter((name) => retiredTables.includes(name))).toEqual([])
  })
})
