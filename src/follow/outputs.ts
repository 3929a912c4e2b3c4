import { once } from 'node:events'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { syncFolder, writeFileAtomically } from '../base/files/atomicFile.ts'
import { lockFolder } from '../base/lock/homeLock.ts'
import { isWanted, type Only } from './choice.ts'
import { type Cursor, cursorName, readCursor } from './cursor.ts'
import { FollowError } from './followError.ts'
import type { Output, Place } from './output.ts'
import { LineBatch, type RecordKind, recordKinds } from './records.ts'

/** The name of the file of each kind. */
const fileName = (kind: RecordKind): string => `${kind}s.ndjson`

const kindsOf = (only: Only): readonly RecordKind[] =>
  recordKinds.filter((kind) => isWanted(only, `${kind}s`))

/** A folder with a file for each kind. What a killed run wrote after its cursor is cut off, so that nothing is there twice. */
export class FolderOutput implements Output<LineBatch> {
  readonly cursor: Cursor | undefined
  readonly #folder: string
  readonly #files: ReadonlyMap<RecordKind, FileHandle>
  readonly #bytes: Map<RecordKind, number>
  readonly #unlock: () => void

  private constructor(
    folder: string,
    cursor: Cursor | undefined,
    files: ReadonlyMap<RecordKind, FileHandle>,
    unlock: () => void,
  ) {
    this.#folder = folder
    this.cursor = cursor
    this.#files = files
    this.#unlock = unlock
    this.#bytes = new Map([...files.keys()].map((kind) => [kind, cursor?.bytes[kind] ?? 0]))
  }

  static async open(folder: string, traces: boolean, only?: Only): Promise<FolderOutput> {
    await mkdir(folder, { recursive: true })
    const unlock = lockFolder(folder, { kind: 'folder', flag: '--out' })
    const files = new Map<RecordKind, FileHandle>()
    try {
      const cursor = readCursor(join(folder, cursorName))
      if (cursor?.format !== undefined)
        throw new FollowError(
          `${folder} holds Parquet files: go on with --format parquet, or choose another --out`,
        )
      for (const kind of kindsOf(only))
        if (kind !== 'trace' || traces)
          files.set(kind, await openAt(join(folder, fileName(kind)), cursor?.bytes[kind]))
      await syncFolder(folder)
      return new FolderOutput(folder, cursor, files, unlock)
    } catch (error) {
      for (const file of files.values()) await file.close()
      unlock()
      throw error
    }
  }

  createBatch(): LineBatch {
    return new LineBatch()
  }

  async write({ lines }: LineBatch): Promise<void> {
    for (const [kind, file] of this.#files) {
      const { bytes } = lines[kind]
      if (bytes.length === 0) continue
      await file.appendFile(bytes)
      this.#bytes.set(kind, (this.#bytes.get(kind) ?? 0) + bytes.length)
    }
  }

  async save(cursor: Place): Promise<void> {
    for (const file of this.#files.values()) await file.datasync()
    const text = `${JSON.stringify({ ...cursor, bytes: Object.fromEntries(this.#bytes) })}\n`
    await writeFileAtomically(join(this.#folder, cursorName), [text])
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.close()
    this.#unlock()
  }
}

/** Opens a file to append at a length; without one it must be empty, because nobody knows who wrote what is there. */
const openAt = async (path: string, length: number | undefined): Promise<FileHandle> => {
  const file = await open(path, 'a')
  const { size } = await file.stat()
  if (size === (length ?? 0)) return file
  if (length !== undefined && size > length) {
    await file.truncate(length)
    return file
  }
  await file.close()
  if (length === undefined)
    throw new FollowError(
      `${path} has ${size} bytes that no ${cursorName} counts: put that file back, move these away, or begin in another folder`,
    )
  throw new FollowError(
    `${path} has ${size} bytes, ${length} were written: it was changed since, so begin again in another folder`,
  )
}

/** A stream, such as the standard output; its cursor is in a file if one is named. */
export class StreamOutput implements Output<LineBatch> {
  readonly cursor: Cursor | undefined
  readonly #stream: Writable
  readonly #cursorFile: string | undefined
  readonly #kinds: readonly RecordKind[]

  constructor(stream: Writable, cursorFile: string | undefined, only?: Only) {
    this.#stream = stream
    this.#kinds = kindsOf(only)
    this.#cursorFile = cursorFile
    this.cursor = cursorFile === undefined ? undefined : readCursor(cursorFile)
  }

  createBatch(): LineBatch {
    return new LineBatch()
  }

  async write({ lines }: LineBatch, blocks: number): Promise<void> {
    const parts: Buffer[] = []
    for (let block = 0; block < blocks; block++)
      for (const kind of this.#kinds) parts.push(lines[kind].ofBlock(block))
    if (!this.#stream.write(Buffer.concat(parts))) await once(this.#stream, 'drain')
  }

  async save(cursor: Place): Promise<void> {
    // The empty write ends after those before it.
    await new Promise<void>((resolve, reject) => {
      this.#stream.write('', (error) => (error ? reject(error) : resolve()))
    })
    if (this.#cursorFile !== undefined)
      await writeFileAtomically(this.#cursorFile, [`${JSON.stringify({ ...cursor, bytes: {} })}\n`])
  }

  async close(): Promise<void> {}
}
