import { DataFile, readMetaPages } from './file.ts'
import { type MetaPage, metaPages, readUint64, sortedValues, type TreeRecord } from './format.ts'
import { type OnRow, TreeReader } from './tree.ts'

export interface FileTable {
  readonly name: string
  readonly rows: number
  /** Whether a key has many values, sorted. */
  readonly isSorted: boolean
}

export interface FileCheck {
  /** What is wrong, in one line each; empty if the file can be mapped and read. */
  readonly problems: readonly string[]
  readonly tables: readonly FileTable[]
  readonly pages: number
  readonly freePages: number
  /** Whether every page was read. */
  readonly isWhole: boolean
  /** The newest transaction; undefined if the meta pages are damaged. */
  readonly transaction: number | undefined
}

export interface FileCheckOptions {
  /**
   * About how many pages are read, unless the file is shorter than it says; all by default. Each tree gets its share, from
   * the last keys on, which are of the newest blocks.
   */
  readonly maxPages?: number
  readonly onRow?: (table: string, key: Buffer, value: Buffer) => void
  /** Called as pages are read, with the pages of the file; not all of them are in use. */
  readonly onProgress?: (read: number, pages: number) => void
}

const maxProblems = 20

/**
 * Checks a data file before it is mapped, because LMDB trusts every number that it finds there: a page that is not in the
 * file is a SIGBUS, and a wrong offset a SIGSEGV. Values are not looked at; see `perihelion db check` for what they mean.
 */
export const checkDataFile = (path: string, options: FileCheckOptions = {}): FileCheck => {
  const file = new DataFile(path)
  try {
    const metas = readMetaPages(file)
    if ('problem' in metas)
      return {
        problems: [metas.problem],
        tables: [],
        pages: 0,
        freePages: 0,
        isWhole: false,
        transaction: undefined,
      }
    return checkTrees(file, metas.newest, options)
  } finally {
    file.close()
  }
}

const checkTrees = (
  file: DataFile,
  meta: MetaPage,
  { maxPages, onRow, onProgress }: FileCheckOptions,
): FileCheck => {
  const problems: string[] = []
  const report = (problem: string): void => {
    if (problems.length < maxProblems) problems.push(problem)
  }
  const isBounded = maxPages !== undefined && meta.lastPage >= maxPages && !mayLackPages(file, meta)
  const onRead = onProgress && ((read: number): void => onProgress(read, meta.lastPage + 1))
  const trees = new TreeReader(file, meta, report, onRead)
  const found: (readonly [name: string, tree: TreeRecord])[] = []
  const limitOf = (share: number): number =>
    isBounded ? Math.ceil(maxPages / share) : Number.POSITIVE_INFINITY
  trees.readUpTo(limitOf(1), meta.main, {
    name: 'the list of tables',
    kind: 'tables',
    onTree: (name, tree) => found.push([name, tree]),
  })
  const freeLists: Buffer[] = []
  const onFree: OnRow = (_, value) => {
    freeLists.push(Buffer.from(value))
  }
  trees.readUpTo(limitOf(4), meta.free, { name: 'the list of free pages', kind: 'free', onRow: onFree })
  for (const [name, tree] of found) {
    if ((tree.flags & ~sortedValues) !== 0) report(`${name} has unknown flags ${tree.flags}`)
    trees.readUpTo(limitOf(found.length), tree, {
      name,
      kind: 'table',
      onRow: onRow && ((key, value) => onRow(name, key, value)),
    })
  }
  const free = new FreePages(trees, meta.lastPage)
  for (const list of freeLists) free.add(list, report)
  return {
    problems,
    tables: found.map(([name, { entries, flags }]) => ({
      name,
      rows: entries,
      isSorted: (flags & sortedValues) !== 0,
    })),
    pages: trees.usedPages + metaPages,
    freePages: free.count,
    isWhole: !trees.isCut,
    transaction: meta.transaction,
  }
}

/**
 * Returns whether pages may be missing at the end of a file. LMDB does not write those that are free, so that a short file is
 * an ordinary one if all that it lacks are in the list of free pages; otherwise all pages must be checked.
 */
const mayLackPages = (file: DataFile, meta: MetaPage): boolean => {
  const firstMissing = Math.floor(file.size / meta.pageSize)
  if (meta.lastPage < firstMissing) return false
  let isDamaged = false
  const trees = new TreeReader(file, meta, () => {
    isDamaged = true
  })
  let missing = meta.lastPage - firstMissing + 1
  const onRow: OnRow = (_, list) => {
    for (const run of readRuns(list)) {
      if (typeof run === 'string') isDamaged = true
      else missing -= Math.max(0, run.first + run.length - Math.max(run.first, firstMissing))
    }
  }
  trees.readUpTo(Number.POSITIVE_INFINITY, meta.free, {
    name: 'the list of free pages',
    kind: 'free',
    onRow,
  })
  return isDamaged || missing > 0
}

/**
 * Reads a list of free pages in runs, or what is wrong with it. A list is a count and as many entries: a page, minus the
 * length of a run before the first page of the run, or 0.
 */
const readRuns = function* (
  list: Buffer,
): Generator<{ readonly first: number; readonly length: number } | string> {
  const length = list.length < 8 ? Number.POSITIVE_INFINITY : readUint64(list, 0)
  if (!(length * 8 + 8 <= list.length)) return yield 'a list of free pages is longer than its row'
  for (let at = 1; at <= length; at++) {
    let run = 1n
    let entry = list.readBigInt64LE(at * 8)
    if (entry === 0n) continue
    if (entry < 0n) {
      run = -entry
      at++
      if (at > length) return yield 'a list of free pages ends with a length'
      entry = list.readBigInt64LE(at * 8)
    }
    yield { first: Number(entry), length: Number(run) }
  }
}

/** The pages that the next commits may overwrite. That a page is in no list costs its space and nothing else. */
class FreePages {
  count = 0
  readonly #trees: TreeReader
  readonly #lastPage: number
  /** A bit for each page. */
  readonly #free: Uint8Array

  constructor(trees: TreeReader, lastPage: number) {
    this.#trees = trees
    this.#lastPage = lastPage
    this.#free = new Uint8Array(Math.floor(lastPage / 8) + 1)
  }

  add(list: Buffer, report: (problem: string) => void): void {
    for (const run of readRuns(list)) {
      if (typeof run === 'string') return report(run)
      const { first, length } = run
      if (first < metaPages || first + length - 1 > this.#lastPage)
        return report(`page ${first} is free and not in the file`)
      for (let page = first; page < first + length; page++) {
        const [byte, bit] = [Math.floor(page / 8), 1 << (page % 8)]
        const isFree = ((this.#free[byte] as number) & bit) !== 0 // every page up to the last has a bit
        if (isFree || this.#trees.isUsed(page)) return report(`page ${page} is free and in use`)
        this.#free[byte] = (this.#free[byte] as number) | bit
        this.count++
      }
    }
  }
}
