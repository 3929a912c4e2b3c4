import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { BlockStoreReader } from '../../src/store/blockStoreReader.ts'

/**
 * A process that reads a store which another one writes: at each turn it takes the head and reads that block in every
 * form. It prints the numbers of heads it saw, and stops with an error at the first thing that does not fit.
 * `storeReader.ts <path> <last>`
 */

const [path, last] = process.argv.slice(2) as [string, string]
const environment = new LmdbEnvironment({ path, readOnly: true })
const reader = new BlockStoreReader(environment)

const parse = (bytes: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(bytes ?? []).toString())

const seen = new Set<number>()
const readHead = (): number => {
  environment.refresh()
  const head = reader.head()
  if (!head) throw new Error('there is no head')
  const hash = `0x${Buffer.from(head.hash).toString('hex')}`
  const full = parse(reader.blockJson(head.number, true)) as {
    hash: string
    transactions: { hash: string }[]
  }
  const short = parse(reader.blockJson(head.number, false)) as { transactions: string[] }
  const receipts = parse(reader.receiptsJson(head.number)) as { blockHash: string }[]
  if (full.hash !== hash) throw new Error(`block ${head.number} is not the head`)
  for (const [index, transaction] of full.transactions.entries())
    if (short.transactions[index] !== transaction.hash || receipts[index]?.blockHash !== hash)
      throw new Error(`transaction ${index} of block ${head.number} differs between its forms`)
  seen.add(head.number)
  return head.number
}

process.stdout.write('ready\n')
while (readHead() < Number(last)) await new Promise((resolve) => setImmediate(resolve))
process.stdout.write(`${[...seen].join(' ')}\n`)
await environment.close()
