import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { ChainError } from '../../src/chain/chainError.ts'
import { contractAddress } from '../../src/chain/transaction/contractAddress.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { StoredLogReader } from '../../src/served/storedLogReader.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { StoreCheck } from '../../src/store/check/storeCheck.ts'
import type { TransactionLocation } from '../../src/store/tables/rowKeys.ts'
import { createChain } from '../support/blocks.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'

/** Few addresses, so that each appears often; the same one at times in several parts of a transaction. */
const crowd = Array.from({ length: 5 }, (_, index) => new Uint8Array(20).fill(index + 1))

const crowdedChain = (seed: number, blocks: number): ExecutedBlock[] => {
  const random = createRandom(seed)
  const pick = (): Uint8Array => crowd[Math.floor(random.fraction() ** 2 * crowd.length)] as Uint8Array
  const shapes = Array.from({ length: blocks }, () => ({
    transactions: random.chance(0.1) ? 40 : random.below(4),
    maxLogs: 2,
    maxData: 1,
    maxAccessList: 0,
    types: [0] as const,
  }))
  return createChain(seed, shapes).map((block) => ({
    ...block,
    transactions: block.transactions.map((executed) => {
      const sender = pick()
      const transaction = { ...executed.transaction, to: executed.transaction.to && pick() }
      const logs = executed.receipt.logs.map((log) => ({ ...log, address: pick() }))
      const receipt = { ...executed.receipt, logs }
      return { ...executed, sender, transaction, raw: encodeTransaction(transaction), receipt }
    }),
  }))
}

/** Where every address appears, from the blocks themselves. */
const appearancesIn = (chain: readonly ExecutedBlock[]): Map<string, TransactionLocation[]> => {
  const places = new Map<string, TransactionLocation[]>()
  for (const { header, transactions } of chain)
    for (const [index, { sender, transaction, receipt }] of transactions.entries()) {
      const created = transaction.to ?? contractAddress(sender, transaction.nonce)
      const all = new Set([sender, created, ...receipt.logs.map(({ address }) => address)].map(toHex))
      for (const address of all)
        places.set(address, [...(places.get(address) ?? []), { number: Number(header.number), index }])
    }
  return places
}

describe('the index of appearances', () => {
  let folder: string
  let environment: LmdbEnvironment
  let store: BlockStore

  const open = (appearances = true): void => {
    environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
    store = new BlockStore(environment, { appearances })
  }

  const save = (chain: readonly ExecutedBlock[]): Promise<void> =>
    environment.transact(() => {
      for (const block of chain) {
        const rows = encodeBlockRows(block)
        if (rows.number === 0) store.initialize(rows, '{}')
        else store.write(rows)
      }
    })

  const indexFaults = (): string[] =>
    [...new StoreCheck(store, environment).run()]
      .map(({ problem }) => problem)
      .filter((problem) => /chain\.(?:appearances|logLists)/.test(problem))

  const expectFound = (chain: readonly ExecutedBlock[], from: number): void => {
    const find = (
      address: string,
      direction: 'forward' | 'backward',
      start?: TransactionLocation,
      limit = 100_000,
    ) => store.appearances.find({ address: fromHex(address), from: start, direction, limit })
    for (const [address, all] of appearancesIn(chain)) {
      const places = all.filter(({ number }) => number >= from)
      expect(find(address, 'forward')).toEqual(places)
      expect(find(address, 'backward')).toEqual([...places].reverse())
      if (places.length < 3) continue
      for (const at of [0, 1, Math.floor(places.length / 2), places.length - 1]) {
        expect(find(address, 'forward', places[at], 3)).toEqual(places.slice(at, at + 3))
        const back = places.slice(Math.max(0, at - 2), at + 1).reverse()
        expect(find(address, 'backward', places[at], 3)).toEqual(back)
      }
    }
    expect(indexFaults()).toEqual([])
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-appearances-'))
    open()
  })

  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  test('finds senders, recipients, what was created and origins of logs, both ways', slow, async () => {
    const chain = crowdedChain(1, 100)
    await save(chain)
    expectFound(chain, 0)
    await environment.transact(() => store.revertTo(70))
    expectFound(chain.slice(0, 71), 0)
    await save(chain.slice(71))
    await environment.transact(() => {
      store.pruneBelow(50, 1_000)
    })
    expectFound(chain, 50)
  })

  test('begins anew after it was off', slow, async () => {
    const chain = crowdedChain(2, 60)
    await save(chain.slice(0, 20))
    await environment.close()
    open(false)
    await save(chain.slice(20, 30))
    const logs = new StoredLogReader(store)
    const question = {
      address: crowd[0] as Uint8Array,
      from: undefined,
      direction: 'forward',
      limit: 1,
    } as const
    expect(() => logs.appearances(question)).toThrow(ChainError)
    expect(indexFaults()).toEqual([])
    // While it is off, what is taken back has to leave it all the same.
    await environment.transact(() => store.revertTo(10))
    await environment.close()
    open()
    await save(chain.slice(11, 40))
    expect(store.appearances.from()).toBe(11)
    expectFound(chain.slice(0, 40), 11)
    expect(new StoredLogReader(store).appearances(question)).toHaveLength(1)
    await environment.transact(() => store.revertTo(5))
    await save(chain.slice(6))
    expect(store.appearances.from()).toBe(6)
    expectFound(chain, 6)
  })
})
