import { assertSoundFile } from '../../base/lmdb/file/damage.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import {
  type ForkBlock,
  type ForkBlockMessage,
  fromForkBlockMessage,
  toForkBlockMessage,
} from '../../fork/forkBlock.ts'
import { ChainMeta } from '../../store/tables/chainMeta.ts'
import { tableNames } from '../../store/tables/chainTables.ts'

/** What a home keeps of the remote that its chain was forked from. */
export interface StoredFork {
  readonly url: string
  readonly block: ForkBlock
}

interface Description extends ForkBlockMessage {
  readonly url: string
}

/** Returns the text that a home keeps. */
export const describeFork = ({ url, block }: StoredFork): string =>
  JSON.stringify({ url, ...toForkBlockMessage(block) } satisfies Description)

const parseDescription = (text: string): StoredFork => {
  const { url, ...block } = JSON.parse(text) as Description // written by describeFork
  return { url, block: fromForkBlockMessage(block) }
}

export interface FoundFork {
  /** `local` for a chain that is not forked; undefined if there is no chain yet, or none that can be read. */
  readonly stored: StoredFork | 'local' | undefined
  /** Whether the pages of the file were checked and found sound. If not, whoever writes to it says what is wrong. */
  readonly isSound: boolean
}

/** Reads what a data file says about its fork. The pages of the file are checked before it is mapped. */
export const readStoredFork = async (path: string): Promise<FoundFork> => {
  try {
    assertSoundFile(path)
  } catch {
    return { stored: undefined, isSound: false }
  }
  try {
    return { stored: await readDescription(path), isSound: true }
  } catch {
    return { stored: undefined, isSound: true }
  }
}

const readDescription = async (path: string): Promise<StoredFork | 'local' | undefined> => {
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    if (!environment.hasTable(tableNames.meta)) return undefined
    const meta = new ChainMeta(environment.table(tableNames.meta), path)
    const text = meta.fork()
    if (text !== undefined) return parseDescription(text)
    return meta.config() === undefined ? undefined : 'local'
  } finally {
    await environment.close()
  }
}
