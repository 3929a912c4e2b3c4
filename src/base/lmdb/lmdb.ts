import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { freeBytes, hasRoom, probedBytes } from '../files/fileSystem.ts'
import { BeginningMark } from './file/beginning.ts'
import { assertSoundFile } from './file/damage.ts'
import { newFilePageBytes } from './file/format.ts'
import { listReaders, type OpenReader } from './file/readers.ts'
import { assertRegularFiles, UnusableFileError } from './file/usable.ts'
import { HeldReads } from './heldReads.ts'

/**
 * One LMDB file, opened the way that was measured to survive power cuts, full disks and failing syncs: data is written in
 * asynchronous transactions (a synchronous one aborts the process on a full disk; one creates the tables of a new file, and
 * files that nobody opens again are written by them), no overlapping sync and `safeRestore` (the default trusts an unsynced meta page when the kernel's boot id is
 * unchanged), no `useWritemap`, and `noSync` only for files that nobody opens again.
 */

export type Table = Database<Uint8Array, Uint8Array>

export interface EnvironmentOptions {
  /** The data file; its folder is created if it does not exist. */
  readonly path: string
  readonly readOnly?: boolean
  /**
   * The free space below which no commit starts, or four times the largest growth by a commit if that is more; 0 for
   * no check.
   */
  readonly minFreeBytes?: number
  /** The address space to reserve (not disk). With one large reservation no reader is ever remapped. */
  readonly mapBytes?: number
  /** Whether what was committed must survive a power cut. Defaults to true. */
  readonly isDurable?: boolean
  /** Whether this process has checked the pages of the file since nobody else can write to it. */
  readonly isChecked?: boolean
}

/** Thrown when the disk is nearly full. Nothing was written, and the next attempt may succeed. */
export class LowSpaceError extends Error {
  override readonly name = 'LowSpaceError'
  readonly freeBytes: number
  readonly neededBytes: number

  constructor(folder: string, freeBytes: number, neededBytes: number) {
    super(
      `the disk is nearly full: ${freeBytes} bytes are free at ${folder}, ${neededBytes} are needed to commit (min-free-space)`,
    )
    this.freeBytes = freeBytes
    this.neededBytes = neededBytes
  }
}

/**
 * Thrown after a commit failed. The commit may still be visible (with a failing fdatasync the rejected commit was read
 * back), so that nothing more is written or acknowledged: the file must be closed and opened again, and the head read.
 */
export class PoisonedError extends Error {
  override readonly name = 'PoisonedError'
}

interface TableStats {
  readonly name: string
  readonly rows: number
  readonly depth: number
  readonly bytes: number
}

/** The statistics of a table, or of the file, as lmdb-js reports them. */
interface LmdbStats {
  readonly pageSize: number
  readonly treeDepth: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
  readonly entryCount: number
}

// Values of versioned tables are compared as bytes; lmdb-js uses the encoder for the value that it seeks from.
const rawBytes = {
  encode: (bytes: Uint8Array) => bytes,
  decode: (bytes: Uint8Array) => bytes,
  writeKey: (bytes: Uint8Array, target: Uint8Array, start: number) => {
    target.set(bytes, start)
    return start + bytes.length
  },
  readKey: (source: Uint8Array, start: number, end: number) => source.slice(start, end),
}

export class LmdbEnvironment {
  readonly path: string
  readonly #readOnly: boolean
  readonly #isDurable: boolean
  readonly #root: RootDatabase<Uint8Array, Uint8Array>
  readonly #tables = new Map<string, Table>()
  readonly #heldReads = new HeldReads()
  readonly #minFreeBytes: number
  /** Says that nothing was committed yet; undefined if the file is older, or nobody opens it again. */
  #beginning: BeginningMark | undefined
  #largestGrowth = 0
  /** Whether the disk took something since the file was opened. */
  #isRoomKnown = false
  #failure: Error | undefined

  constructor(options: EnvironmentOptions) {
    this.path = options.path
    this.#readOnly = options.readOnly ?? false
    this.#isDurable = options.isDurable ?? true
    this.#minFreeBytes = options.minFreeBytes ?? 256 * 2 ** 20
    assertRegularFiles(options.path)
    if (!this.#readOnly) this.#prepareFile(options)
    const settings = {
      path: options.path,
      noSubdir: true,
      maxDbs: 32,
      maxReaders: 1024,
      mapSize: options.mapBytes ?? 2 ** 40,
      pageSize: newFilePageBytes,
      keyEncoding: 'binary' as const,
      encoding: 'binary' as const,
      readOnly: this.#readOnly,
      // If true, each transaction would have a second promise, whose rejection cannot be handled.
      eventTurnBatching: false,
      // Syncs inside the commit. Overlapping sync is not faster here, and after a failed commit its promise never
      // settles, so that the file could not be closed.
      overlappingSync: false,
      noSync: !this.#isDurable,
      // In lmdb-js but not in its types.
      safeRestore: true,
    }
    try {
      this.#root = open<Uint8Array, Uint8Array>(settings)
    } catch (error) {
      throw isLmdbError(error) && !isDamageError(error)
        ? new UnusableFileError(`${options.path} cannot be opened: ${reasonOf(error as Error)}`)
        : error
    }
  }

  #prepareFile({ path, isDurable, isChecked }: EnvironmentOptions): void {
    mkdirSync(dirname(path), { recursive: true })
    if (isDurable !== false) this.#beginning = BeginningMark.find(path)
    if (statSync(path, { throwIfNoEntry: false }) !== undefined)
      assertSoundFile(path, isChecked === true ? 0 : undefined)
  }

  /**
   * Runs a function that opens tables. Those that are new are created in one transaction, which is synced once; alone,
   * each would be synced.
   */
  openTables<T>(open: () => T): T {
    return this.#readOnly ? open() : this.#root.transactionSync(open)
  }

  /** Opens a table with one value for each key. */
  table(name: string): Table {
    return this.#openTable(name, { keyEncoding: 'binary', encoding: 'binary' })
  }

  /** Returns whether a file that is open for reading has a table; in one open for writing it would be created. */
  hasTable(name: string): boolean {
    if (!this.#readOnly) return true
    try {
      this.table(name)
      return true
    } catch {
      return false
    }
  }

  /** Opens a table with many values for each key, sorted as bytes; `get` returns the first of them. */
  sortedTable(name: string): Table {
    const settings = { keyEncoding: 'binary' as const, dupSort: true, encoder: rawBytes }
    return this.#openTable(name, settings)
  }

  /**
   * Runs `work` in a transaction: everything that it writes is committed and synced, or nothing is. `work` is synchronous.
   * An error that it throws aborts the transaction and is thrown here. Any other failure poisons the environment.
   */
  async transact(work: () => void): Promise<void> {
    if (this.#failure) throw new PoisonedError('an earlier commit failed', { cause: this.#failure })
    this.#assertSpace()
    const before = statSync(this.path).size
    let thrown: { readonly error: unknown } | undefined
    const run = (): void => {
      try {
        work()
      } catch (error) {
        thrown = { error }
        throw error
      }
    }
    try {
      if (this.#isDurable) {
        // A child transaction, because lmdb-js commits the plain one even when its callback throws.
        await this.#root.childTransaction(run)
        await this.#root.flushed
      } else {
        // There is nothing to wait for: no sync, and no other thread that writes.
        this.#root.transactionSync(run)
      }
    } catch (error) {
      if (thrown && !isLmdbError(thrown.error)) throw thrown.error
      throw await this.#poison(error)
    }
    this.#beginning?.remove()
    this.#beginning = undefined
    this.#largestGrowth = Math.max(this.#largestGrowth, statSync(this.path).size - before)
  }

  /** Throws if there is too little space for a commit. */
  #assertSpace(): void {
    const folder = dirname(this.path)
    // Once, because a commit that fails is the end of this environment, and another one finds the disk as it is.
    if (this.#isDurable && !this.#isRoomKnown && !hasRoom(folder))
      throw new LowSpaceError(folder, freeBytes(folder), probedBytes)
    this.#isRoomKnown = true
    if (this.#minFreeBytes === 0) return
    const free = freeBytes(folder)
    const needed = Math.max(this.#minFreeBytes, 4 * this.#largestGrowth)
    if (free < needed) throw new LowSpaceError(folder, free, needed)
  }

  get isPoisoned(): boolean {
    return this.#failure !== undefined
  }

  /** Clears the slots of killed readers, which keep old pages from being reused, and returns their number. */
  clearStaleReaders(): number {
    return (this.#root as unknown as { readerCheck(): number }).readerCheck()
  }

  /** Returns who has the file open to read. */
  readers(): readonly OpenReader[] {
    return listReaders(this.#root)
  }

  /** Returns a read transaction that sees the same data until `done()`. */
  pinReadTransaction(): ReturnType<RootDatabase['useReadTransaction']> {
    this.#root.resetReadTxn()
    return this.#root.useReadTransaction()
  }

  /**
   * Has all reads of a file that is open for reading see what they see now, whatever is committed meanwhile, until the
   * returned function is called.
   */
  holdReads(): () => void {
    if (!this.#readOnly) throw new Error('who writes reads what is written')
    return this.#heldReads.hold(() => this.pinReadTransaction())
  }

  /** Lets the next read see what other processes have committed since this event-loop turn started. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  stats(): readonly TableStats[] {
    return [...this.#tables].map(([name, table]) => {
      const stats = table.getStats() as unknown as LmdbStats
      const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages
      return { name, rows: stats.entryCount, depth: stats.treeDepth, bytes: pages * stats.pageSize }
    })
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  #openTable(name: string, settings: object): Table {
    const known = this.#tables.get(name)
    if (known) return known
    const table = this.#root.openDB<Uint8Array, Uint8Array>({ name, ...settings })
    if (!table) throw new Error(`${this.path} has no table ${name}`)
    if (this.#readOnly) this.#heldReads.attach(table)
    this.#tables.set(name, table)
    return table
  }

  async #poison(error: unknown): Promise<PoisonedError> {
    // The cause comes as a second, rejected promise that has no other handler.
    const pending = (error as { commitError?: Promise<unknown> }).commitError
    const cause = pending
      ? await Promise.race([pending.catch((reason: unknown) => reason), resolveAfterDelay(error)])
      : error
    this.#failure = cause instanceof Error ? cause : new Error(String(cause))
    return new PoisonedError(`commit failed: ${reasonOf(this.#failure)}`, { cause: this.#failure })
  }
}

/** After a colon lmdb-js names what it did last when something failed, which may have been another time. */
const reasonOf = ({ message }: Error): string => message.split(': Attempting ')[0] ?? message

const resolveAfterDelay = (value: unknown): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, 100, value)
  })

/** Returns whether an error comes from LMDB; lmdb-js gives these the numeric code of the library. */
export const isLmdbError = (error: unknown): boolean =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'number'

/** The codes of LMDB for a file that cannot be right: page not found, corrupted, version, invalid, cursor, flags, problem. */
const damageCodes: ReadonlySet<number> = new Set([
  -30_797, -30_796, -30_794, -30_793, -30_787, -30_784, -30_779,
])

/** Returns whether an error says that a file is damaged. Others of LMDB are of the disk, its space or its modes. */
export const isDamageError = (error: unknown): boolean =>
  isLmdbError(error) && damageCodes.has((error as { readonly code?: number }).code ?? 0)

/** Keeps lmdb-js from printing the errors of LMDB with their stacks in this thread; they are thrown as well. */
export const muteLmdbErrors = (): void => {
  const { error: print } = console
  console.error = (...values: unknown[]) => {
    if (!isLmdbError(values[0])) print(...values)
  }
}
