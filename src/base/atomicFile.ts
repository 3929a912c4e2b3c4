import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from './files.ts'

/**
 * Files that appear under their name whole or not at all, also after a crash or a power failure: they are written under
 * another name in the same folder, synced and renamed, and then the folder is synced, which holds the name.
 */

/** Hidden, so that whoever lists the folder meanwhile passes it by. */
const temporaryPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)

/** Until a mode that is asked for is set, nobody else can open the file. */
const initialMode = (mode: number | undefined): number => (mode === undefined ? 0o666 : 0o600)

/** Windows cannot open a folder, and keeps its own journal of them. */
const canSyncFolders = process.platform !== 'win32'

/** Puts the names of a folder on the disk: a renamed or a new file is safe once this is done. */
export const syncFolder = async (folder: string): Promise<void> => {
  if (!canSyncFolders) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const syncFolderSync = (folder: string): void => {
  if (!canSyncFolders) return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A file that is written bit by bit and has its name, in place of what had it before, once it is finished. */
export class AtomicFile {
  readonly #path: string
  readonly #temporary: string
  readonly #handle: FileHandle

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.#path = path
    this.#temporary = temporary
    this.#handle = handle
  }

  /** The mode is exact, whatever the umask; without one the file gets the rights that the process gives new files. */
  static async create(path: string, mode?: number): Promise<AtomicFile> {
    const temporary = temporaryPath(path)
    const handle = await open(temporary, 'wx', initialMode(mode))
    const file = new AtomicFile(path, temporary, handle)
    try {
      if (mode !== undefined) await handle.chmod(mode)
    } catch (error) {
      await file.discard()
      throw error
    }
    return file
  }

  /** Appends all of it. */
  async write(content: string | Uint8Array): Promise<void> {
    await this.#handle.writeFile(content)
  }

  /** Throws what went wrong, and then leaves nothing behind. */
  async finish(): Promise<void> {
    try {
      await this.#handle.sync()
      await this.#handle.close()
      await rename(this.#temporary, this.#path)
    } catch (error) {
      await this.discard()
      throw error
    }
    await syncFolder(dirname(this.#path))
  }

  /** Leaves nothing behind; what had the name before keeps it. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {})
    await rm(this.#temporary, { force: true })
  }
}

/** Replaces what has the name; the parts are written in their order, one at a time. */
export const writeFileAtomically = async (
  path: string,
  parts: Iterable<string | Uint8Array>,
  mode?: number,
): Promise<void> => {
  const file = await AtomicFile.create(path, mode)
  try {
    for (const part of parts) await file.write(part)
  } catch (error) {
    await file.discard()
    throw error
  }
  await file.finish()
}

/** Writes the content under another name and hands it to `publish`, which gives it its own; gives the open file. */
const writeThen = (
  path: string,
  content: string | Uint8Array,
  mode: number,
  publish: (temporary: string) => void,
): number => {
  const temporary = temporaryPath(path)
  const file = openSync(temporary, 'wx+', initialMode(mode))
  try {
    fchmodSync(file, mode)
    writeFileSync(file, content)
    fsyncSync(file)
    publish(temporary)
  } catch (error) {
    closeSync(file)
    rmSync(temporary, { force: true })
    throw error
  }
  return file
}

/**
 * Replaces what has the name and gives the new file, open to read and write. When it throws, what had the name still has
 * it. The folder is not synced yet: see `syncFolderSync`.
 */
export const replaceFileSync = (path: string, content: string | Uint8Array, mode: number): number =>
  writeThen(path, content, mode, (temporary) => renameSync(temporary, path))

/** Replaces what has the name. */
export const writeFileAtomicallySync = (path: string, content: string | Uint8Array, mode: number): void => {
  closeSync(replaceFileSync(path, content, mode))
  syncFolderSync(dirname(path))
}

/** Makes a file where nothing has the name; false where something has it, even if it came only just before. */
export const createFileSync = (path: string, content: string | Uint8Array, mode: number): boolean => {
  // First a look, which needs no right to write: where nothing is to be done, nothing is in the way.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false
  let isNew = true
  const publish = (temporary: string): void => {
    try {
      linkSync(temporary, path)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      isNew = false
    }
    rmSync(temporary)
  }
  closeSync(writeThen(path, content, mode, publish))
  if (isNew) syncFolderSync(dirname(path))
  return isNew
}
