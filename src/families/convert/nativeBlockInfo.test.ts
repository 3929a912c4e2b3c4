import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { NativeBlockStore } from '../../store/nativeRows.ts'
import type { NativeBlockInfo, NativeTransactionInfo } from './convertedBlock.ts'
import { encodeNativeBlockInfo, NativeBlockInfoReader } from './nativeBlockInfo.ts'

let folder: string
let environment: LmdbEnvironment
let reader: NativeBlockInfoReader

const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)

const transaction = (index: number): NativeTransactionInfo => ({
  hash: bytes(32, 100 + index),
  code: 5,
  codespace: 'evm',
  log: '{"fee":"9","transactions":[]}',
  gasWanted: 21_000n,
  gasUsed: 20_000n,
  types: ['/a.Message'],
  ethereumIndexes: [index],
  events: [],
})

const infoAt = (height: number, count: number): NativeBlockInfo => ({
  hash: bytes(32, height),
  height,
  time: { seconds: 1_700_000_000n, nanos: height },
  proposer: bytes(20, height),
  transactions: Array.from({ length: count }, (_, index) => transaction(index)),
  fees: { decimalBaseFee: height === 1 ? undefined : 7n, blockGas: 8n, maxGas: -1n, nextMaxGas: 9n },
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-native-info-'))
  environment = new LmdbEnvironment({ path: join(folder, 'data') })
  reader = new NativeBlockInfoReader(environment)
  const store = new NativeBlockStore(environment)
  await environment.transact(() => {
    for (const [height, count] of [
      [1, 0],
      [2, 40],
      [3, 1],
    ] as const) {
      const info = infoAt(height, count)
      const commitments = { resultsHash: bytes(32, 1), appHash: height === 3 ? undefined : bytes(32, 2) }
      const transactions = info.transactions.map(({ hash }) => ({ hash, hasFailed: true }))
      store.put(height, { hash: info.hash, transactions, info: encodeNativeBlockInfo(info, commitments) })
    }
    store.put(4, { hash: bytes(32, 4), transactions: [], info: encodeNativeBlockInfo(infoAt(4, 0), none) })
    store.removeBody(4)
  })
})
const none = { resultsHash: bytes(32, 0), appHash: undefined }

afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

// The long row comes before short ones, whose ends it must not reach into.
test.each([2, 1, 3, 2])(
  'the summary of block %i is what the block has apart from its transactions',
  (height) => {
    reader.summaryAt(2)
    const { hash, transactions: _, ...rest } = reader.at(height) ?? expect.fail('the block is not kept')
    expect(reader.summaryAt(height)).toEqual(rest)
    expect(reader.nativeHashAt(height)).toEqual(Uint8Array.from(hash))
  },
)

test('a pruned block has its hash alone, and one that does not exist has nothing', () => {
  expect(reader.summaryAt(4)).toBeUndefined()
  expect(reader.nativeHashAt(4)).toEqual(bytes(32, 4))
  expect([reader.summaryAt(5), reader.nativeHashAt(5)]).toEqual([undefined, undefined])
})
