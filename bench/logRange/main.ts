import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256 } from '../../src/base/crypto.ts'
import { fromHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { headerHash } from '../../src/chain/block/header.ts'
import { createReceipt } from '../../src/chain/block/receipt.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import type { Transaction } from '../../src/chain/transaction/types.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { firstBlock } from '../../test/support/blocks.ts'
import { indexSize } from '../support/indexSize.ts'
import { median } from '../support/median.ts'

/**
 * `npm run bench -- logRange`: the same four rare logs among 10,000 blocks and among BLOCKS (1,000,000), written straight
 * into the store, one log of a busy contract in each. The search may take at most twice as long.
 */
const sizes = [10_000, Number(process.env.BLOCKS ?? 1_000_000)]
const perCommit = 5_000

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

const patterns = {
  'rare topic': { addresses: [], topics: [[rare]] },
  'rare topic of the busy contract': { addresses: [busy], topics: [[rare]] },
}

const medianOf = (work: () => void): number => {
  const times: number[] = []
  for (let round = 0; round < 2_000; round++) {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  }
  return median(times) * 1000
}

const medians: Record<string, number[]> = {}
for (const blocks of sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-logs-range-'))
  const environment = new LmdbEnvironment({ path: join(folder, 'data') })
  const store = new BlockStore(environment)
  const started = performance.now()
  let block = firstBlock()
  await environment.transact(() => store.initialize(encodeBlockRows(block), '{}'))
  for (let number = 1; number <= blocks; number += perCommit) {
    const rows = Array.from({ length: Math.min(perCommit, blocks - number + 1) }, (_, index) => {
      block = blockAfter(block, (number + index) % Math.ceil(blocks / 4) === 7)
      return encodeBlockRows(block)
    })
    await environment.transact(() => {
      for (const row of rows) store.write(row)
    })
    if (number % 100_000 === 1) process.stderr.write(`${number - 1} of ${blocks} blocks\n`)
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${blocks} blocks, written in ${seconds} s\n`)
  for (const [name, pattern] of Object.entries(patterns)) {
    const search = (): number =>
      [...store.logs.run(pattern, 0, blocks)].reduce((sum, found) => sum + found.count, 0)
    if (search() !== 4) throw new Error(`${search()} rare logs`)
    const figure = medianOf(search)
    medians[name] = [...(medians[name] ?? []), figure]
    process.stdout.write(`  ${name.padEnd(34)} ${figure.toFixed(1).padStart(8)} µs\n`)
  }
  process.stdout.write(`  ${indexSize(environment, store)}\n`)
  await environment.close()
  rmSync(folder, { recursive: true })
}
for (const [name, [small, large]] of Object.entries(medians))
  process.stdout.write(`${name}: ${((large as number) / (small as number)).toFixed(2)} × the time\n`)
