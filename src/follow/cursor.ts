import { readTextFile } from '../base/files/readFile.ts'
import { errorCode } from '../base/files/writeAll.ts'
import { isChoice, type Only } from './choice.ts'
import { FollowError } from './followError.ts'
import { type RecordKind, recordKinds } from './records.ts'

/** Where a feed is to go on, and that it goes on with the same chain. */
export interface Cursor {
  readonly version: 1
  readonly chainId: string
  /** The first block that is not written. */
  readonly next: number
  /** The hash of the block before; empty if none is written. */
  readonly hash: string
  readonly traces: boolean
  readonly only?: Only
  /** The length of each file up to there; empty for a stream. */
  readonly bytes: Readonly<Partial<Record<RecordKind, number>>>
  /** What the files are; lines of JSON without it. */
  readonly format?: 'parquet'
}

/** The file of the cursor in a folder. */
export const cursorName = 'cursor.json'

const maxCursorBytes = 65_536

/** Returns the cursor in a file; undefined if there is none yet. */
export const readCursor = (path: string): Cursor | undefined => {
  let text: string
  try {
    text = readTextFile(path, maxCursorBytes)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new FollowError(`${path} cannot be read: ${(error as Error).message}`)
  }
  const cursor = parse(text)
  if (!isCursor(cursor)) throw new FollowError(`${path} is not a cursor: remove the folder and begin again`)
  return cursor
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isLength = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const isCursor = (value: unknown): value is Cursor => {
  if (typeof value !== 'object' || value === null) return false
  const { version, chainId, next, hash, traces, only, bytes, format } = value as Partial<
    Record<keyof Cursor, unknown>
  >
  if (format !== undefined && format !== 'parquet') return false
  if (only !== undefined && !(Array.isArray(only) && only.every(isChoice))) return false
  if (version !== 1 || typeof chainId !== 'string' || typeof hash !== 'string' || !isLength(next))
    return false
  if (typeof traces !== 'boolean' || typeof bytes !== 'object' || bytes === null) return false
  return Object.entries(bytes).every(
    ([kind, length]) => recordKinds.includes(kind as RecordKind) && isLength(length),
  )
}
