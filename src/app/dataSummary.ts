import { checkDataFile } from '../base/lmdb/file/check.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { tableNames } from '../store/tables/chainTables.ts'
import { findNewestProblems, openState } from './dataCheck.ts'

/** The newest block of a data file, and what a start would find wrong with it. */
export interface NewestBlock {
  /** Undefined if there is none. */
  readonly head: number | undefined
  /** Seconds since 1970. */
  readonly time: number | undefined
  readonly problems: readonly string[]
}

/** Opens a data file as a start does, without writing to it. A node may run on it. */
export const readNewest = async (path: string): Promise<NewestBlock> => {
  const none = { head: undefined, time: undefined }
  const { problems } = checkDataFile(path, { maxPages: 0 })
  if (problems.length > 0) return { ...none, problems }
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    if (!environment.hasTable(tableNames.meta)) return { ...none, problems: [] }
    const blocks = new BlockStoreReader(environment)
    const head = blocks.head()?.number
    const header = head === undefined ? undefined : blocks.header(head)
    const state = openState(environment)
    return {
      head,
      time: header && Number(header.timestamp),
      problems: state === undefined ? [] : findNewestProblems(environment, state, blocks),
    }
  } finally {
    await environment.close()
  }
}
