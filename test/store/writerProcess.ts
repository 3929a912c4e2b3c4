import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { firstBlock, nextBlock } from '../support/blocks.ts'
import { createRandom } from '../support/random.ts'

/** A process that writes blocks until it is killed, and prints the number of each once it is committed. */

const [path] = process.argv.slice(2) as [string]
const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
const store = new BlockStore(environment)
const random = createRandom(13)

let block: ExecutedBlock = firstBlock()
for (let number = 0; ; number++) {
  const rows = encodeBlockRows(block)
  await environment.transact(() => (number === 0 ? store.initialize(rows, '{}') : store.write(rows)))
  process.stdout.write(`${number}\n`)
  block = nextBlock(block, random, { transactions: 20, maxLogs: 2 })
}
