import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { createLogger } from '../../src/base/logging/log.ts'
import { BlockPruner, pruneStep } from '../../src/store/blockPruner.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { BlockStoreReader } from '../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../src/store/check/storeCheck.ts'
import { firstBlock, nextBlock } from '../support/blocks.ts'
import { eventually } from '../support/eventually.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'

/** How many blocks are kept, and how many times as many the chain has in the end. */
const retained = Number(process.env.RETAINED_BLOCKS ?? 400)
const spans = Number(process.env.SPANS ?? 5)

let folder: string
let environment: LmdbEnvironment
let store: BlockStore
let last: ExecutedBlock

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-pruning-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb'), isDurable: false, minFreeBytes: 0 })
  store = environment.openTables(() => new BlockStore(environment))
  last = firstBlock()
  await environment.transact(() => store.initialize(encodeBlockRows(last), '{}'))
})
afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

const random = createRandom(21)

/** Blocks with transactions whose logs are in lists of their own, and in the one of all logs. */
const grow = async (count: number, pruner?: BlockPruner): Promise<void> => {
  for (let made = 0; made < count; made += 20) {
    const rows = Array.from({ length: Math.min(20, count - made) }, () => {
      last = nextBlock(last, random, { transactions: 4, maxLogs: 2, types: [2] })
      return encodeBlockRows(last)
    })
    await environment.transact(() => {
      for (const each of rows) store.write(each)
    })
    pruner?.wake()
  }
}

const createPruner = (retainedBlocks: number): BlockPruner =>
  new BlockPruner(
    { retainedBlocks },
    {
      head: () => store.head()?.number ?? 0,
      oldest: () => store.meta.oldestBody(),
      prune: async (height) => {
        let oldest = 0
        await environment.transact(() => {
          oldest = store.pruneBelow(height, pruneStep.blocks, pruneStep.transactions)
        })
        return oldest
      },
      log: createLogger('silent'),
    },
  )

/** Resolves when no more than a batch is to be pruned. */
const caughtUp = (retainedBlocks: number): Promise<void> =>
  eventually(() => {
    environment.refresh()
    return (store.head()?.number ?? 0) - store.meta.oldestBody() < retainedBlocks + 64
  })

test('the file stays as large as what is kept, though the chain goes on', slow, async () => {
  const pruner = createPruner(retained)
  const sizes: number[] = []
  for (let span = 0; span < spans; span++) {
    for (let part = 0; part < 10; part++) {
      await grow(Math.ceil(retained / 10), pruner)
      await caughtUp(retained)
    }
    sizes.push(statSync(environment.path).size)
  }
  await pruner.stop()
  expect([...new StoreCheck(store, environment).run()]).toEqual([])
  const head = store.head()?.number ?? 0
  expect(head).toBeGreaterThanOrEqual(retained * spans)
  expect(store.oldestComplete()).toBeGreaterThanOrEqual(head - retained - 64)
  // Headers stay: some 700 bytes a block, and the index of their hashes. All else is written where the pruned was.
  const [, second = 0] = sizes
  const headers = 1_200 * retained * (spans - 2)
  expect(sizes.at(-1)).toBeLessThan(second * 1.15 + headers)
  if (process.env.SPANS !== undefined) console.log(JSON.stringify({ retained, head, sizes }))
})

test('without it the file grows with the chain', slow, async () => {
  await grow(retained)
  const first = statSync(environment.path).size
  await grow(retained * (spans - 1))
  expect(statSync(environment.path).size).toBeGreaterThan(first * (spans - 1.5))
})

test('readers of another process see whole blocks and logs while blocks are pruned', async () => {
  await grow(300)
  const other = new LmdbEnvironment({ path: environment.path, readOnly: true })
  const reader = new BlockStoreReader(other)
  const pruner = createPruner(20)
  pruner.wake()
  let looks = 0
  await eventually(() => {
    other.refresh()
    const oldest = reader.oldestComplete()
    const head = reader.head()?.number ?? 0
    for (const number of [oldest, Math.floor((oldest + head) / 2), head]) {
      const block = reader.blockJson(number, true)
      if (block === undefined) throw new Error(`block ${number} is gone, the oldest is ${oldest}`)
      const { transactions } = JSON.parse(Buffer.from(block).toString()) as { transactions: unknown[] }
      if (reader.receipts(number)?.length !== transactions.length) throw new Error('receipts are missing')
    }
    const pattern = { addresses: [], topics: [] }
    let expected = 0
    for (const { number, count } of reader.logs.run(pattern, oldest, head)) {
      if (number < oldest) throw new Error(`a log of block ${number}, below ${oldest}`)
      expected += count
    }
    let found = 0
    for (let number = oldest; number <= head; number++)
      for (const { logs } of reader.receipts(number) ?? []) found += logs.length
    if (expected !== found) throw new Error(`${expected} logs in the index, ${found} in receipts`)
    looks++
    return oldest > 270
  })
  expect(looks).toBeGreaterThan(1)
  await pruner.stop()
  await other.close()
  expect([...new StoreCheck(store, environment).run()]).toEqual([])
})
