import type { LmdbEnvironment } from '../../src/base/lmdb.ts'
import type { BlockReader } from '../../src/store/blockReader.ts'
import { tableNames } from '../../src/store/tables.ts'

/** What the indexes take on disk, against the bytes of the logs themselves. */
export const indexSize = (environment: LmdbEnvironment, blocks: BlockReader): string => {
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
