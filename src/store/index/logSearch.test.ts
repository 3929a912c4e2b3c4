import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChain } from '../../../test/support/blocks.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { type ExecutedBlock, encodeBlockRows } from '../blockRows.ts'
import { BlockStore } from '../blockStore.ts'
import { addressKey, topicKey } from './blockPostings.ts'
import { LogSearch } from './logSearch.ts'
import { PostingTable } from './postingTable.ts'

describe('the search for logs', () => {
  let folder: string
  let environment: LmdbEnvironment

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-search-'))
    environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
  })

  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  test('says how far it is where it finds nothing for long', async () => {
    const lists = new PostingTable(environment.table('lists'))
    const address = new Uint8Array(20).fill(1)
    const topic = new Uint8Array(32).fill(2)
    // Never in the same block: each list moves the other on by one.
    await environment.transact(() => {
      for (let number = 1; number <= 20_000; number++) {
        const key = number % 2 === 0 ? addressKey(address) : topicKey(0, topic)
        lists.append({ key, postings: [{ number, page: 0, runs: [0, 1] }] })
      }
    })
    const search = new LogSearch(lists, environment.table('receipts'))
    const steps = [...search.run({ addresses: [address], topics: [[topic]] }, 1, 20_000)]
    expect(steps.length).toBeGreaterThan(20)
    expect(steps.every(({ count, text }) => count === 0 && text.length === 0)).toBe(true)
    const numbers = steps.map(({ number }) => number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(numbers.at(-1)).toBeLessThan(20_000)
  })

  test('never says that it is past a block whose logs are still to come', async () => {
    const store = new BlockStore(environment)
    const chain = createChain(3, [{ transactions: 100, types: [0], maxLogs: 2 }, { transactions: 1 }])
    const address = new Uint8Array(20).fill(1)
    const topic = new Uint8Array(32).fill(2)
    // Logs in the first and the last page of block 1, then lists that have no page in common.
    const logs = [{ address, topics: [topic], data: new Uint8Array() }]
    const [genesis, block] = chain as [ExecutedBlock, ExecutedBlock]
    const transactions = block.transactions.map((executed, index) =>
      index === 0 || index === 99 ? { ...executed, receipt: { ...executed.receipt, logs } } : executed,
    )
    const lists = new PostingTable(environment.table('chain.logLists'))
    await environment.transact(() => {
      store.initialize(encodeBlockRows(genesis), '{}')
      store.write(encodeBlockRows({ ...block, transactions }))
      for (let number = 2; number <= 5_000; number++) {
        const key = number % 2 === 0 ? addressKey(address) : topicKey(0, topic)
        lists.append({ key, postings: [{ number, page: 0, runs: [0, 1] }] })
      }
    })
    const steps = [...store.logs.run({ addresses: [address], topics: [[topic]] }, 0, 5_000)]
    expect(steps[0]).toMatchObject({ number: 1, count: 2 })
    expect(steps.length).toBeGreaterThan(3)
    expect(steps.slice(1).every(({ number, count }) => number > 1 && count === 0)).toBe(true)
  })

  test('gives no log that only shares the key of a list', async () => {
    const store = new BlockStore(environment)
    const [genesis, block] = createChain(1, [{ transactions: 3, types: [0], maxLogs: 3 }]) as [
      ExecutedBlock,
      ExecutedBlock,
    ]
    const stranger = new Uint8Array(20).fill(9)
    await environment.transact(() => {
      store.initialize(encodeBlockRows(genesis), '{}')
      const rows = encodeBlockRows(block)
      // As if the key of an address without logs were that of all of these.
      const shared = { key: addressKey(stranger), postings: [{ number: 1, page: 0, runs: [0, 50] }] }
      store.write({ ...rows, logLists: [...rows.logLists, shared] })
    })
    const all = [...store.logs.run({ addresses: [], topics: [] }, 0, 1)]
    expect(all[0]?.count).toBeGreaterThan(0)
    expect(all[0]?.logs.map((log) => JSON.parse(Buffer.from(log).toString()) as object)).toHaveLength(
      all[0]?.count ?? 0,
    )
    expect([...store.logs.run({ addresses: [stranger], topics: [] }, 0, 1)]).toEqual([])
  })

  test('gives the logs of many pages as one block', async () => {
    const store = new BlockStore(environment)
    const chain = createChain(2, [{ transactions: 150, types: [0], maxLogs: 3 }])
    await environment.transact(() => {
      for (const block of chain) {
        const rows = encodeBlockRows(block)
        if (rows.number === 0) store.initialize(rows, '{}')
        else store.write(rows)
      }
    })
    const [found, ...others] = [...store.logs.run({ addresses: [], topics: [] }, 0, 1)]
    expect(others).toEqual([])
    const receipts = JSON.parse(Buffer.from(store.receiptsJson(1) ?? []).toString()) as { logs: object[] }[]
    const logs = receipts.flatMap((receipt) => receipt.logs)
    expect(JSON.parse(`[${Buffer.from(found?.text ?? []).toString()}]`)).toEqual(logs)
    expect(found?.logs.map((log) => JSON.parse(Buffer.from(log).toString()) as object)).toEqual(logs)
  })
})
