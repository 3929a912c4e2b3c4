import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { NativeIndexReader } from '../index/nativeIndex.ts'
import { toPageOrdinal } from '../index/postings.ts'
import { PostingTable } from '../index/postingTable.ts'
import type { ChainMeta } from '../tables/chainMeta.ts'
import { nativeTableNames, openNativeTables } from '../tables/chainTables.ts'
import { asBuffer } from '../tables/rowKeys.ts'

/**
 * Compares the index of Cosmos transactions with the keys that each block has in it: every list must have entries of the
 * block, and there must be no entries of other blocks.
 */
export class NativeIndexCheck {
  readonly #reader: NativeIndexReader
  readonly #lists: readonly { readonly name: string; readonly table: PostingTable }[]
  /** The number of blocks with entries, over all lists of a table. */
  readonly #expected = [0, 0]

  constructor(environment: LmdbEnvironment, meta: ChainMeta) {
    const tables = openNativeTables(environment)
    this.#reader = new NativeIndexReader(tables, meta)
    this.#lists = [
      { name: nativeTableNames.logLists, table: new PostingTable(tables.logLists) },
      { name: nativeTableNames.appearances, table: new PostingTable(tables.appearances) },
    ]
  }

  *block(number: number): Generator<string> {
    const { logs, appearances } = this.#reader.keys(number)
    for (const [at, keys] of [logs, appearances].entries()) {
      const { name, table } = this.#lists[at] as { name: string; table: PostingTable } // two of each
      const missing = keys.filter((key) => {
        const cursor = table.cursor(key)
        return !Number.isFinite(cursor.seek(toPageOrdinal(number, 0))) || cursor.position().number !== number
      })
      this.#expected[at] = (this.#expected[at] ?? 0) + keys.length
      if (missing.length > 0) yield `${missing.length} of its entries in ${name} are missing`
    }
  }

  /** Reports, after all blocks, entries of no block. */
  *rest(): Generator<string> {
    for (const [at, { name, table }] of this.#lists.entries()) {
      let found = 0
      let before = ''
      for (const { list, postings } of table.chunks())
        for (const { number } of postings) {
          const entry = `${asBuffer(list).toString('latin1')}${number}`
          if (entry !== before) found++
          before = entry
        }
      if (found !== this.#expected[at])
        yield `${name} has entries of ${found} blocks in its lists, ${this.#expected[at]} are in use`
    }
  }
}
