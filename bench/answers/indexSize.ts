import type { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import type { BlockStoreReader } from '../../src/store/blockStoreReader.ts'
import { tableNames } from '../../src/store/tables/chainTables.ts'

/** Returns the size of the indexes on disk, relative to the bytes of the logs. */
export const indexSize = (environment: LmdbEnvironment, blocks: BlockStoreReader): string => {
  const head = blocks.head()?.number ?? 0
  let logs = 0
  let bytes = 0
  for (const { count, text } of blocks.logs.run({ addresses: [], topics: [] }, 0, head)) {
    logs += count
    bytes += text.length
  }
  const sizes = new Map(environment.stats().map((table) => [table.name, table.bytes]))
  const part = (name: string): string => {
    const size = sizes.get(name) ?? 0
    return `${name} ${size} bytes, ${(size / bytes).toFixed(3)} of them`
  }
  return `${logs} logs of ${bytes} bytes; ${part(tableNames.logLists)}; ${part(tableNames.appearances)}`
}
