import { checkDataFile } from '../base/lmdb/file/check.ts'
import { checkedPages } from '../base/lmdb/file/damage.ts'
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
    const pages = checkFirstPages(path, environment)
    if (pages.length > 0) return { ...none, problems: pages }
    if (!environment.hasTable(tableNames.meta)) return { ...none, problems: [] }
    const blocks = new BlockStoreReader(environment)
    const head = blocks.head()?.number
    const header = head === undefined ? undefined : blocks.header(head)
    const state = openState(environment)
    return {
      head,
      time: header && Number(header.timestamp),
      problems: state === undefined ? [] : withoutCodes(findNewestProblems(environment, state, blocks)),
    }
  } catch (error) {
    if (!isOfLmdb((error as Error).message)) throw error
    return { ...none, problems: [damagedPage] }
  } finally {
    await environment.close()
  }
}

/** The pages that a start reads, while a node that may run writes none of them again. */
const checkFirstPages = (path: string, environment: LmdbEnvironment): readonly string[] => {
  const reading = environment.pinReadTransaction()
  try {
    return checkDataFile(path, { maxPages: checkedPages }).problems
  } finally {
    reading.done()
  }
}

const damagedPage = 'it is damaged: one of its pages is corrupt'

/** Whether a text is of LMDB: the code that it has for a damaged page, or for whatever is asked after one. */
const isOfLmdb = (text: string): boolean => /\bMDB_[A-Z]/.test(text)

const withoutCodes = (problems: readonly string[]): readonly string[] => {
  const readable = problems.filter((problem) => !isOfLmdb(problem))
  return readable.length < problems.length ? [damagedPage, ...readable] : problems
}
