import { createHash } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import type { MaybePromise } from '../../async/maybePromise.ts'
import { syncFolderSync } from '../../files/atomicFile.ts'
import { freeBytes } from '../../files/fileSystem.ts'
import { checkDataFile, type FileCheck } from './check.ts'
import { damagedFile } from './damage.ts'
import { newFilePageBytes } from './format.ts'
import { listReaders } from './readers.ts'
import { UnusableFileError } from './usable.ts'

/** The parts of the work, in their order. */
export type CompactionPart = 'reading' | 'copying' | 'comparing'

export interface CompactionOptions {
  /** Called as it goes on, with pages or bytes of a part. */
  readonly onProgress?: (part: CompactionPart, done: number, total: number) => void
}

export interface CompactedFile {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** Space beside that of the copy, for what its first commit writes. */
const spareBytes = 2 ** 20

/**
 * Replaces a data file that nobody else uses by a copy without its free pages. The copy is written beside it, read row for
 * row against it and synced; only then is it renamed, so that whatever ends the process leaves the old file or the new one
 * in its place, and at most a copy beside it, which the next call removes.
 */
export const compactDataFile = async (
  file: string,
  { onProgress = () => {} }: CompactionOptions = {},
): Promise<CompactedFile> => {
  // A link may lead to another disk.
  const path = realpathSync(file)
  const copy = `${path}.compact`
  const removeCopy = (): void => {
    for (const file of [copy, `${copy}-lock`]) rmSync(file, { force: true })
  }
  removeCopy()
  try {
    const before = digestOf(path, (done, total) => onProgress('reading', done, total))
    assertSpace(path, before.check)
    const bytes = before.check.pages * newFilePageBytes
    // Who opens a link has the lock file beside the link.
    if (file !== path) await withFile(file, (root) => assertUnread(file, root))
    await writeCopy(path, copy, (done) => onProgress('copying', Math.min(done, bytes), bytes))
    await beginCopy(copy)
    adoptOwner(path, copy)
    const after = digestOf(copy, (done, total) => onProgress('comparing', done, total))
    if (after.digest !== before.digest)
      throw new UnusableFileError(
        `${copy} is not what ${path} is: the disk or the memory is not to be trusted`,
      )
    const sizes = { bytesBefore: statSync(path).size, bytesAfter: statSync(copy).size }
    // What the lock file says of the old file must not be taken for the new one.
    for (const lock of [`${path}-lock`, `${file}-lock`]) rmSync(lock, { force: true })
    renameSync(copy, path)
    syncFolderSync(dirname(path))
    return sizes
  } finally {
    removeCopy()
  }
}

interface DigestedFile {
  readonly check: FileCheck
  /** Of all rows of all tables. */
  readonly digest: string
}

const digestOf = (path: string, onProgress: (done: number, total: number) => void): DigestedFile => {
  const hash = createHash('sha256')
  const lengths = Buffer.alloc(8)
  let last = ''
  const check = checkDataFile(path, {
    onProgress,
    onRow: (table, key, value) => {
      if (table !== last) hash.update(`\0${table}\0`)
      last = table
      lengths.writeUInt32LE(key.length, 0)
      lengths.writeUInt32LE(value.length, 4)
      hash.update(lengths).update(key).update(value)
    },
  })
  if (check.problems.length > 0) throw damagedFile(path, check.problems)
  for (const { name, rows, isSorted } of check.tables) hash.update(`${name} ${rows} ${isSorted}\0`)
  return { check, digest: hash.digest('hex') }
}

const assertSpace = (path: string, { pages }: FileCheck): void => {
  const needed = pages * newFilePageBytes + spareBytes
  const free = freeBytes(dirname(path))
  if (free < needed)
    throw new UnusableFileError(
      `${needed} bytes are needed beside ${path} for its copy, ${free} are free: make room, nothing was changed`,
    )
}

const openFile = (path: string, readOnly: boolean): RootDatabase<Uint8Array, Uint8Array> => {
  const settings = {
    ...{ path, readOnly, noSubdir: true, maxDbs: 32, mapSize: 2 ** 40, pageSize: newFilePageBytes },
    ...{
      keyEncoding: 'binary' as const,
      encoding: 'binary' as const,
      overlappingSync: false,
      safeRestore: true,
    },
  }
  return open<Uint8Array, Uint8Array>(settings)
}

const withFile = async (path: string, work: (root: RootDatabase) => MaybePromise<void>): Promise<void> => {
  const root = openFile(path, true)
  try {
    await work(root)
  } finally {
    await root.close()
  }
}

const writeCopy = async (path: string, copy: string, onBytes: (done: number) => void): Promise<void> => {
  const timer = setInterval(() => onBytes(statSync(copy, { throwIfNoEntry: false })?.size ?? 0), 100)
  try {
    await withFile(path, async (root) => {
      assertUnread(path, root)
      await root.backup(copy, true)
    })
  } finally {
    clearInterval(timer)
  }
}

/** Throws if another process reads the file: its pages would stay on the disk, and it would never see newer data. */
const assertUnread = (path: string, root: RootDatabase): void => {
  const { readerCheck } = root as unknown as { readerCheck(): number }
  readerCheck.call(root)
  for (const { pid } of listReaders(root))
    if (pid !== process.pid)
      throw new UnusableFileError(`${path} is being read by process ${pid}: stop it first`)
}

/** Commits once. LMDB writes only one meta page of a copy, and a file without its second is taken for a damaged one. */
const beginCopy = async (copy: string): Promise<void> => {
  const root = openFile(copy, false)
  const key = Buffer.from('compacted')
  await root.transaction(() => {
    root.put(key, key)
  })
  await root.transaction(() => {
    root.remove(key)
  })
  await root.flushed
  await root.close()
}

/** Gives a copy the owner and the mode of its original, whoever runs the command, and syncs it. */
const adoptOwner = (path: string, copy: string): void => {
  const { uid, gid, mode } = statSync(path)
  const file = openSync(copy, 'r+')
  try {
    const own = fstatSync(file)
    if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid)
    fchmodSync(file, mode & 0o7777)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
