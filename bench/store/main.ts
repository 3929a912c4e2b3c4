import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { firstBlock, nextBlock } from '../../test/support/blocks.ts'
import { createRandom } from '../../test/support/random.ts'

/**
 * What it costs to read a block, a transaction and a receipt from the store, and to write a block: transfers with one
 * log each, as in the block of the comparison with other nodes. `npm run bench -- store [blocks] [transactions]`
 */

const blocks = Number(process.argv[2] ?? 100)
const transactions = Number(process.argv[3] ?? 200)

const micros = ({ user, system }: NodeJS.CpuUsage): number => user + system

const report = (name: string, cpu: number, least: number, bytes?: number): void =>
  console.log(
    `${name.padEnd(36)} ${cpu.toFixed(2).padStart(10)} ${least.toFixed(2).padStart(10)} ${String(bytes ?? '').padStart(9)}`,
  )

/** CPU a call over all calls, which other work on the machine does not change, and the best run's time a call. */
const measure = (name: string, call: (round: number) => { readonly length: number } | undefined): void => {
  const runs = 60
  const calls = 200
  let least = Number.POSITIVE_INFINITY
  let bytes = 0
  let round = 0
  for (let i = 0; i < calls; i++) call(round++)
  const before = process.cpuUsage()
  for (let run = 0; run < runs; run++) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < calls; i++) bytes = call(round++)?.length ?? 0
    least = Math.min(least, Number(process.hrtime.bigint() - start) / calls / 1e3)
  }
  report(name, micros(process.cpuUsage(before)) / runs / calls, least, bytes)
}

const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
const environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
// Small enough that no block is found in the cache, but for the rows that say so.
const store = new BlockStore(environment, { cacheBytes: 1 })
const caching = new BlockStore(environment)
const random = createRandom(1)
const shape = { transactions, types: [2] as const, maxLogs: 1, maxData: 1, maxAccessList: 0 }

/** Returns the hashes of the last block's transactions; the chain itself is not kept, as no server would keep it. */
const fill = async (): Promise<Uint8Array[]> => {
  const chain: ExecutedBlock[] = [firstBlock()]
  for (let number = 1; number <= blocks; number++)
    chain.push(nextBlock(chain.at(-1) as ExecutedBlock, random, shape))

  console.log(`${blocks} blocks of ${transactions} transactions; node ${process.version}`)
  console.log(`${''.padEnd(36)}     CPU µs    best µs     bytes`)
  let rows = chain.map(encodeBlockRows)
  let cpu = process.cpuUsage()
  let start = process.hrtime.bigint()
  rows = chain.map(encodeBlockRows)
  const perBlock = (total: number): number => total / blocks
  const elapsed = (): number => Number(process.hrtime.bigint() - start) / 1e3
  report('encode a block', perBlock(micros(process.cpuUsage(cpu))), perBlock(elapsed()))
  cpu = process.cpuUsage()
  start = process.hrtime.bigint()
  for (const block of rows)
    await environment.transact(() =>
      block.number === 0 ? store.initialize(block, '{}') : store.write(block),
    )
  report('commit it with its indexes, synced', perBlock(micros(process.cpuUsage(cpu))), perBlock(elapsed()))
  return (chain.at(-1) as ExecutedBlock).transactions.map(({ hash }) => hash)
}

const hashes = await fill()
await pause(500)
const at = (round: number): number => 1 + ((round * 37) % blocks)
const index = (round: number): number => (round * 61) % transactions

measure('block, full', (round) => store.blockJson(at(round), true))
measure('block, full, asked for again', () => caching.blockJson(1, true))
measure('block, hashes', (round) => store.blockJson(at(round), false))
measure('receipts of a block', (round) => store.receiptsJson(at(round)))
measure('transaction by block and index', (round) => store.transactionJson(at(round), index(round)))
measure('transaction by hash', (round) => {
  const place = store.placeOf(hashes[round % hashes.length] as Uint8Array)
  return place && store.transactionJson(place.number, place.index)
})
measure('receipt by hash', (round) => {
  const place = store.placeOf(hashes[round % hashes.length] as Uint8Array)
  return place && store.receiptJson(place.number, place.index)
})
measure('raw transaction', (round) => store.rawTransaction(at(round), index(round)))
measure('log', (round) => store.logJson(at(round), 0, 0) ?? { length: 0 })
measure('header, parsed before', (round) => store.header(at(round))?.logsBloom)
measure('block hash by number', (round) => store.blockHashAt(at(round)))

await environment.close()
rmSync(folder, { recursive: true })
