import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../../base/files/atomicFile.ts'
import { lockFolder } from '../../base/lock/homeLock.ts'
import { type Cursor, cursorName, readCursor } from '../cursor.ts'
import { FollowError } from '../followError.ts'
import type { Output, Place } from '../output.ts'
import type { Table } from '../tables/column.ts'
import { RowBatch } from '../tables/rowBatch.ts'
import { ParquetColumns } from './parquetColumns.ts'
import { ParquetFile } from './parquetFile.ts'

type ParquetBatch = RowBatch<ParquetColumns>

export interface ParquetOptions {
  readonly folder: string
  readonly tables: readonly Table[]
  /** How many blocks a file has. */
  readonly rangeBlocks: number
  /** The last block that is wanted. */
  readonly to: number | undefined
}

const digits = 12
const fileName = (first: number, last: number): string =>
  `${[first, last].map((number) => String(number).padStart(digits, '0')).join('-')}.parquet`
/** A file of ours, and one that a killed run was writing. */
const finished = /^(\d{12})-\d{12}\.parquet$/
const unfinished = /^\.\d{12}-\d{12}\.parquet\.[0-9a-f]{12}\.tmp$/

/**
 * A folder for each table, with a file for each range of blocks: a range is in all tables, or in none that the cursor counts.
 * Files behind the cursor are of a run that was killed, and are written again.
 */
export class ParquetOutput implements Output<ParquetBatch> {
  readonly cursor: Cursor | undefined
  readonly #options: ParquetOptions
  readonly #unlock: () => void
  readonly #files = new Map<Table, ParquetFile>()
  #first: number
  #isBegun: boolean

  private constructor(options: ParquetOptions, cursor: Cursor | undefined, unlock: () => void) {
    this.#options = options
    this.cursor = cursor
    this.#unlock = unlock
    this.#isBegun = cursor !== undefined
    this.#first = cursor?.next ?? 0
  }

  static async open(options: ParquetOptions): Promise<ParquetOutput> {
    const { folder, tables } = options
    await mkdir(folder, { recursive: true })
    const unlock = lockFolder(folder, { kind: 'folder', flag: '--out' })
    try {
      const cursor = readCursor(join(folder, cursorName))
      if (cursor !== undefined && cursor.format !== 'parquet')
        throw new FollowError(
          `${folder} holds lines of JSON: go on without --format, or choose another --out`,
        )
      for (const { name } of tables) await clear(join(folder, name), cursor?.next)
      return new ParquetOutput(options, cursor, unlock)
    } catch (error) {
      unlock()
      throw error
    }
  }

  /** Files end at multiples of the range. */
  lastBeside(number: number): number {
    const { rangeBlocks } = this.#options
    return number - (number % rangeBlocks) + rangeBlocks - 1
  }

  createBatch(): ParquetBatch {
    return new RowBatch(this.#options.tables, (table) => new ParquetColumns(table))
  }

  async write({ sinks }: ParquetBatch): Promise<void> {
    for (const [table, rows] of sinks) {
      const file = this.#files.get(table) ?? (await this.#open(table))
      await file.write(rows)
    }
  }

  /** Counts what was written where a range ends; within one only the start is noted. */
  async save(cursor: Place, isEnd: boolean): Promise<void> {
    const isWhole = isEnd || cursor.next % this.#options.rangeBlocks === 0
    if (this.#files.size > 0 && !isWhole) return
    if (this.#files.size === 0 && this.#isBegun) return
    for (const file of this.#files.values()) await file.finish()
    this.#files.clear()
    const text = `${JSON.stringify({ ...cursor, bytes: {}, format: 'parquet' } satisfies Cursor)}\n`
    await writeFileAtomically(join(this.#options.folder, cursorName), [text])
    this.#isBegun = true
    this.#first = cursor.next
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.discard()
    this.#unlock()
  }

  async #open(table: Table): Promise<ParquetFile> {
    const { folder, to = Number.POSITIVE_INFINITY } = this.#options
    const last = Math.min(this.lastBeside(this.#first), to)
    const path = join(folder, table.name, fileName(this.#first, last))
    const file = await ParquetFile.create(path, table)
    this.#files.set(table, file)
    return file
  }
}

/** Removes from the folder of a table what no cursor counts; files that were there before the first run are somebody else's. */
const clear = async (folder: string, next: number | undefined): Promise<void> => {
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    const [, first] = finished.exec(name) ?? []
    if (first !== undefined && next === undefined)
      throw new FollowError(
        `${join(folder, name)} is counted by no ${cursorName}: move it away, or choose another --out`,
      )
    if (unfinished.test(name) || (first !== undefined && Number(first) >= (next ?? 0)))
      await rm(join(folder, name))
  }
}
