import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { fromHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { headerHash } from '../../src/chain/block/header.ts'
import { createReceipt } from '../../src/chain/block/receipt.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import type { Transaction } from '../../src/chain/transaction/transaction.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { firstBlock } from '../../test/support/blocks.ts'
import { median } from '../support/load/percentile.ts'
import { ownSide } from '../support/run/inProcess.ts'
import type { Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { indexSize } from './indexSize.ts'

interface FilledStore {
  readonly blocks: number
  readonly environment: LmdbEnvironment
  readonly store: BlockStore
}

interface GrowthStage {
  readonly folder: string
  readonly small: FilledStore
  readonly large: FilledStore
}

const perCommit = 5_000
const rareLogs = 4

const word = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(32)
  bytes.writeUIntBE(value, 26, 6)
  return bytes
}
const busy = new Uint8Array(20).fill(0x11)
const sender = new Uint8Array(20).fill(0x22)
const transfer = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const rare = word(0xabcdef)

/** Well formed, as far as the store looks; its roots are not those of its parts. */
const blockAfter = (parent: ExecutedBlock, isRare: boolean): ExecutedBlock => {
  const number = parent.header.number + 1n
  const transaction: Transaction = {
    type: 0,
    chainId: undefined,
    nonce: number,
    gasPrice: 1n,
    gasLimit: 100_000n,
    to: busy,
    value: 0n,
    data: new Uint8Array(),
    signature: { yParity: 0, r: 1n, s: 1n },
  }
  const raw = encodeTransaction(transaction)
  const topics = [isRare ? rare : transfer, word(Number(number % 1_000n)), word(Number(number))]
  const logs = [{ address: busy, topics, data: word(1) }]
  const receipt = createReceipt({ type: 0, outcome: true, cumulativeGasUsed: 50_000n, logs })
  const header = { ...parent.header, number, parentHash: parent.hash, timestamp: number }
  const transactions = [{ transaction, raw, hash: keccak256(raw), sender, receipt }]
  return { ...parent, header, hash: headerHash(header), transactions }
}

/** Writes blocks straight into a store, one log of a busy contract in each, four of them with the rare topic. */
const fill = async (folder: string, blocks: number): Promise<FilledStore> => {
  const environment = new LmdbEnvironment({ path: join(folder, String(blocks)) })
  const store = new BlockStore(environment)
  let block = firstBlock()
  await environment.transact(() => store.initialize(encodeBlockRows(block), '{}'))
  for (let number = 1; number <= blocks; number += perCommit) {
    const rows = Array.from({ length: Math.min(perCommit, blocks - number + 1) }, (_, index) => {
      block = blockAfter(block, (number + index) % Math.ceil(blocks / rareLogs) === 7)
      return encodeBlockRows(block)
    })
    await environment.transact(() => {
      for (const row of rows) store.write(row)
    })
  }
  return { blocks, environment, store }
}

/** The median of many searches, in milliseconds. */
const searchMs = ({ store, blocks }: FilledStore, addresses: Uint8Array[], rounds: number): number => {
  const pattern = { addresses, topics: [[rare]] }
  const search = (): number =>
    [...store.logs.run(pattern, 0, blocks)].reduce((sum, found) => sum + found.count, 0)
  if (search() !== rareLogs) throw new Error(`${search()} rare logs`)
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now()
    search()
    return performance.now() - start
  })
  return median(times)
}

const row = (name: string, addresses: Uint8Array[], rounds: number): Row<GrowthStage> => ({
  name,
  unit: 'search',
  by: 'times',
  measure: ({ small, large }) => {
    const [few, many] = [searchMs(small, addresses, rounds), searchMs(large, addresses, rounds)]
    return { figures: { times: many / few, ms: many }, note: indexSize(large.environment, large.store) }
  },
})

/** What is read of a block; its transaction is found by its hash. */
const reads: Readonly<Record<string, (store: BlockStore, number: number, hash: Uint8Array) => unknown>> = {
  'block by number': (store, number) => store.blockJson(number, true),
  'transaction by hash': (store, _, hash) => {
    const { number = 0, index = 0 } = store.locate(hash) ?? {}
    return store.transactionJson(number, index)
  },
  'receipt by hash': (store, _, hash) => {
    const { number = 0, index = 0 } = store.locate(hash) ?? {}
    return store.receiptJson(number, index)
  },
}

/** The mean time of reads all over a chain, in milliseconds. The hashes are known before, as those of clients are. */
const readMs = ({ store, blocks }: FilledStore, read: (typeof reads)[string], rounds: number): number => {
  const asked = Array.from({ length: rounds }, (_, index) => {
    const number = 1 + ((index * 7_919) % blocks)
    const [raw] = store.rawTransactions(number) ?? []
    if (raw === undefined) throw new Error(`block ${number} has no transaction`)
    return { number, hash: keccak256(raw) }
  })
  const once = (): number => {
    const start = performance.now()
    for (const { number, hash } of asked)
      if (read(store, number, hash) === undefined) throw new Error(`block ${number} is not found`)
    return (performance.now() - start) / rounds
  }
  once()
  return median(Array.from({ length: 5 }, once))
}

const readRow = (name: string, growth: string, rounds: number): Row<GrowthStage> => ({
  name: `${name}, ${growth}`,
  unit: 'read',
  by: 'times',
  measure: ({ small, large }) => {
    const read = reads[name] as (typeof reads)[string] // its own names
    const [few, many] = [readMs(small, read, rounds), readMs(large, read, rounds)]
    return { figures: { times: many / few, ms: many } }
  },
})

/** The same rare logs in a short and in a long chain. */
export const part = definePart<GrowthStage>({
  sides: ({ isQuick }) => [
    ownSide(
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-growth-'))
        const small = await fill(folder, isQuick ? 500 : 10_000)
        return { folder, small, large: await fill(folder, isQuick ? 5_000 : 1_000_000) }
      },
      async ({ folder, small, large }) => {
        await small.environment.close()
        await large.environment.close()
        rmSync(folder, { recursive: true })
      },
    ),
  ],
  rows: ({ isQuick }) => {
    const growth = isQuick ? '500 → 5,000 blocks' : '10,000 → 1,000,000 blocks'
    const rounds = isQuick ? 50 : 2_000
    return [
      row(`rare topic, ${growth}`, [], rounds),
      row(`rare topic of a busy contract, ${growth}`, [busy], rounds),
      ...Object.keys(reads).map((name) => readRow(name, growth, 5 * rounds)),
    ]
  },
})
