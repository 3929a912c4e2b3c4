import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { firstBlock, nextBlock } from '../support/blocks.ts'
import { createRandom } from '../support/random.ts'

/**
 * A process that writes blocks until it is killed, and prints the number of each once it is committed. With a number of
 * blocks to retain it prunes the others, in transactions between and beside those of the blocks.
 */

const [path, retained] = process.argv.slice(2) as [string, string | undefined]
const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
const store = new BlockStore(environment)
const random = createRandom(13)

const prune = (height: number): Promise<void> =>
  environment.transact(() => {
    store.pruneBelow(height, 3)
  })

let block: ExecutedBlock = firstBlock()
for (let number = 0; ; number++) {
  const rows = encodeBlockRows(block)
  await environment.transact(() => (number === 0 ? store.initialize(rows, '{}') : store.write(rows)))
  process.stdout.write(`${number}\n`)
  if (retained !== undefined) void prune(number - Number(retained) + 1)
  block = nextBlock(block, random, { transactions: 20, maxLogs: 2 })
}
