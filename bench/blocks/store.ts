import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { type BlockRows, type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { firstBlock, nextBlock } from '../../test/support/blocks.ts'
import { createRandom } from '../../test/support/random.ts'
import { ownSide, perUnit, timed } from '../support/run/inProcess.ts'
import type { Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'

interface StoreStage {
  readonly folder: string
  readonly environment: LmdbEnvironment
  /** Small enough a cache that no block is found in it. */
  readonly store: BlockStore
  readonly caching: BlockStore
  readonly chain: readonly ExecutedBlock[]
  readonly hashes: readonly Uint8Array[]
}

const perBlock = 200
const shape = { transactions: perBlock, types: [2] as const, maxLogs: 1, maxData: 1, maxAccessList: 0 }

const open = (blocks: number): StoreStage => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-store-'))
  const environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
  const random = createRandom(1)
  const chain: ExecutedBlock[] = [firstBlock()]
  for (let number = 1; number <= blocks; number++)
    chain.push(nextBlock(chain.at(-1) as ExecutedBlock, random, shape))
  return {
    ...{ folder, environment, chain },
    store: new BlockStore(environment, { cacheBytes: 1 }),
    caching: new BlockStore(environment),
    hashes: (chain.at(-1) as ExecutedBlock).transactions.map(({ hash }) => hash),
  }
}

const writeRows: readonly Row<StoreStage>[] = [
  {
    name: `encode a block of ${perBlock} transactions`,
    unit: 'block',
    by: 'cpuMicros',
    measure: async ({ chain }) => {
      chain.forEach(encodeBlockRows)
      return perUnit(await timed(() => chain.forEach(encodeBlockRows)), chain.length)
    },
  },
  {
    name: 'commit it with its indexes, synced',
    unit: 'block',
    by: 'cpuMicros',
    isOnce: true,
    measure: async ({ chain, environment, store }) => {
      const rows: BlockRows[] = chain.map(encodeBlockRows)
      const timing = await timed(async () => {
        for (const block of rows)
          await environment.transact(() =>
            block.number === 0 ? store.initialize(block, '{}') : store.write(block),
          )
      })
      return perUnit(timing, rows.length)
    },
  },
]

type Read = (stage: StoreStage, round: number) => { readonly length: number } | undefined

const placeOf = ({ store, hashes }: StoreStage, round: number) =>
  store.locate(hashes[round % hashes.length] as Uint8Array)
const at = ({ chain }: StoreStage, round: number): number => 1 + ((round * 37) % (chain.length - 1))
const index = (round: number): number => (round * 61) % perBlock

const reads: Readonly<Record<string, Read>> = {
  'block, full': (stage, round) => stage.store.blockJson(at(stage, round), true),
  // not ours: the name in recorded results
  'block, full, asked for again': ({ caching }) => caching.blockJson(1, true),
  'block, hashes': (stage, round) => stage.store.blockJson(at(stage, round), false),
  'receipts of a block': (stage, round) => stage.store.receiptsJson(at(stage, round)),
  'transaction by block and index': (stage, round) =>
    stage.store.transactionJson(at(stage, round), index(round)),
  'transaction by hash': (stage, round) => {
    const place = placeOf(stage, round)
    return place && stage.store.transactionJson(place.number, place.index)
  },
  'receipt by hash': (stage, round) => {
    const place = placeOf(stage, round)
    return place && stage.store.receiptJson(place.number, place.index)
  },
  'raw transaction': (stage, round) => stage.store.rawTransaction(at(stage, round), index(round)),
  log: (stage, round) => stage.store.logJson(at(stage, round), 0, 0) ?? { length: 0 },
  'header, parsed before': (stage, round) => stage.store.header(at(stage, round))?.logsBloom,
  'block hash by number': (stage, round) => stage.store.blockHashAt(at(stage, round)),
}

const readRow = (name: string, read: Read, count: number): Row<StoreStage> => ({
  name,
  unit: 'read',
  by: 'cpuMicros',
  measure: async (stage) => {
    let bytes = 0
    const repeat = (times: number): void => {
      for (let round = 0; round < times; round++) bytes = read(stage, round)?.length ?? 0
    }
    repeat(count / 10)
    const { figures } = perUnit(await timed(() => repeat(count)), count)
    return { figures: { ...figures, bytes } }
  },
})

/** Writing and reading of blocks of transfers with one log each, without a server. */
export const part = definePart<StoreStage>({
  sides: ({ isQuick }) => [
    ownSide(
      () => open(isQuick ? 10 : 100),
      async ({ environment, folder }) => {
        await environment.close()
        rmSync(folder, { recursive: true })
      },
    ),
  ],
  rows: ({ isQuick }) => [
    ...writeRows,
    ...Object.entries(reads).map(([name, read]) => readRow(name, read, isQuick ? 1_000 : 12_000)),
  ],
})
