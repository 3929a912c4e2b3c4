import { equalBytes } from '../base/encoding/bytes.ts'
import { checkDataFile, type FileCheck } from '../base/lmdb/file/check.ts'
import { damagedFile } from '../base/lmdb/file/damage.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { checkNewestStates, checkState, type StateCheck } from '../state/check/stateCheck.ts'
import { StateStore } from '../state/stateStore.ts'
import { stateTableNames } from '../state/stateTables.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { StoreCheck } from '../store/check/storeCheck.ts'
import { nativeTableNames, retiredTables, tableNames } from '../store/tables/chainTables.ts'

/** What a check of all data of a home found. */
export interface DataCheck {
  readonly file: FileCheck
  /** Undefined if the file cannot be read at all. */
  readonly state: StateCheck | undefined
  /** The number of blocks that were checked; undefined if the file holds none. */
  readonly blocks: number | undefined
  /** One line for each problem; empty if there is none. */
  readonly problems: readonly string[]
}

/** Told how much of a part was checked. */
export type OnProgress = (part: 'pages' | 'states' | 'blocks', done: number, total: number) => void

export interface DataCheckOptions {
  /** The number of newest heights whose state is checked; all that are kept by default. */
  readonly heights?: number
  /** Called while the file is open and has been read. */
  readonly onOpen?: (environment: LmdbEnvironment) => void
  readonly onProgress?: OnProgress
}

/**
 * Checks everything that a data file holds: its pages before it is mapped, and then every row against a hash. A node may
 * run on it.
 */
export const checkData = async (path: string, options: DataCheckOptions = {}): Promise<DataCheck> => {
  const unreadable = (file: FileCheck, problems: readonly string[]): DataCheck => ({
    file,
    state: undefined,
    blocks: undefined,
    problems,
  })
  return checkFile(
    path,
    (file, environment) => {
      if (environment === undefined || file.problems.length > 0) return unreadable(file, file.problems)
      try {
        const rows = checkRows(environment, options.heights ?? Number.POSITIVE_INFINITY, options.onProgress)
        options.onOpen?.(environment)
        return { file, ...rows }
      } catch (error) {
        return unreadable(file, [(error as Error).message])
      }
    },
    options.onProgress,
  )
}

/** Throws a `DamagedFileError` if a data file cannot be mapped safely. Reads every page. A node may run on it. */
export const assertSoundData = async (path: string): Promise<void> => {
  const { problems } = await checkFile(path, (file) => file)
  if (problems.length > 0) throw damagedFile(path, problems)
}

/** Reads all pages of a file, and calls `proceed` with what was found and the file, which is open if it can be mapped. */
const checkFile = async <T>(
  path: string,
  proceed: (check: FileCheck, environment: LmdbEnvironment | undefined) => T,
  onProgress: OnProgress = () => {},
): Promise<T> => {
  const metas = checkDataFile(path, { maxPages: 0 })
  if (metas.problems.length > 0) return proceed(metas, undefined)
  // While somebody reads, a node that runs on the file writes none of the pages again that are looked at here.
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    const reading = environment.pinReadTransaction()
    let check: FileCheck
    try {
      check = checkDataFile(path, { onProgress: (read, pages) => onProgress('pages', read, pages) })
    } finally {
      reading.done()
    }
    // Tables that are opened now are not those of an older transaction.
    environment.refresh()
    return proceed(
      check.problems.length > 0 ? check : { ...check, problems: findWrongTables(check) },
      environment,
    )
  } finally {
    await environment.close()
  }
}

const sortedTables: readonly string[] = stateTableNames.sorted
const knownTables = new Set<string>([
  ...stateTableNames.sorted,
  ...stateTableNames.plain,
  ...Object.values(tableNames),
  ...Object.values(nativeTableNames),
  ...retiredTables,
])

/** Returns the tables that are not of the kind that this program makes, or not known to it. */
const findWrongTables = ({ tables }: FileCheck): readonly string[] =>
  tables.flatMap(({ name, isSorted }) => {
    if (!knownTables.has(name)) return [`there is a table ${JSON.stringify(name)}`]
    return isSorted === sortedTables.includes(name) ? [] : [`${name} is not of its kind`]
  })

const checkRows = (
  environment: LmdbEnvironment,
  heights: number,
  onProgress: OnProgress = () => {},
): Omit<DataCheck, 'file'> => {
  // The node may commit meanwhile. All of this happens in one turn of the event loop and so in one read transaction.
  const store = openState(environment)
  const isForked =
    environment.hasTable(tableNames.meta) && new BlockStoreReader(environment).meta.fork() !== undefined
  const onHeight = (checked: number, total: number): void => onProgress('states', checked, total)
  const state = store && checkState(store, heights, isForked, onHeight)
  const stateProblems = state?.problems ?? []
  if (!environment.hasTable(tableNames.meta)) return { state, blocks: undefined, problems: stateProblems }
  const reader = new BlockStoreReader(environment)
  let blocks = 0
  const issues = new StoreCheck(reader, environment).run((number, head) => {
    onProgress('blocks', number, head)
    blocks++
    return true
  })
  const blockProblems = Array.from(issues, ({ number, problem }) => `block ${number}: ${problem}`)
  const first = Math.max(store?.oldest ?? 0, reader.meta.first(), reader.meta.firstHeader())
  const roots = store ? findWrongRoots(store, reader, first) : []
  return { state, blocks, problems: [...stateProblems, ...blockProblems, ...roots] }
}

/** Opens the states of a data file; undefined if it has none, as that of a gateway. */
export const openState = (environment: LmdbEnvironment): StateStore | undefined =>
  stateTableNames.plain.some((name) => environment.hasTable(name)) ? new StateStore(environment) : undefined

/** Returns the heights from one on whose state does not have the root of their block. */
const findWrongRoots = (store: StateStore, blocks: BlockStoreReader, from: number): readonly string[] => {
  const head = store.head?.height
  const newest = blocks.head()?.number
  // While a snapshot is being restored there is no state.
  if (head === undefined || newest === undefined) return []
  const problems = head === newest ? [] : [`the state is at height ${head}, the blocks are at ${newest}`]
  // The root of the block that a chain was forked from is that of the whole remote state.
  const isForked = blocks.meta.fork() !== undefined
  const first = isForked ? Math.max(from, blocks.meta.first() + 1) : from
  for (let height = first; height <= Math.min(head, newest); height++) {
    if (!hasRootOfBlock(store, blocks, height))
      problems.push(`the state of height ${height} is not its block's`)
    if (problems.length > 20) break
  }
  return problems
}

const hasRootOfBlock = (store: StateStore, blocks: BlockStoreReader, height: number): boolean => {
  try {
    const header = blocks.header(height)
    return header !== undefined && equalBytes(header.stateRoot, store.rootAt(height))
  } catch {
    return false
  }
}

/** The blocks that a start checks, and the number of transactions after which it checks no more than two. */
const startBlocks = 4
const startTransactions = 200

/**
 * Returns what is wrong with the newest blocks and their states, for a node that is about to serve them; the cost depends
 * on what is in them and not on the chain.
 */
export const findNewestProblems = (
  environment: LmdbEnvironment,
  state: StateStore,
  blocks: BlockStoreReader,
): readonly string[] => {
  const check = new StoreCheck(blocks, environment)
  const problems = Array.from(
    check.newest(startBlocks, startTransactions),
    ({ number, problem }) => `block ${number}: ${problem}`,
  )
  const head = blocks.head()?.number ?? 0
  if (state.head === undefined) return problems
  const from = Math.max(
    state.oldest ?? 0,
    blocks.meta.first(),
    blocks.meta.firstHeader(),
    head - check.newestBlocks + 1,
  )
  // As many states as blocks: what large blocks changed takes longer to check than a start may take.
  return [
    ...problems,
    ...findWrongRoots(state, blocks, from),
    ...checkNewestStates(state, check.newestBlocks),
  ]
}
