import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from './writeAll.ts'

/**
 * Files that appear under their name whole or not at all, also after a crash or a power failure: they are written under
 * another name in the same folder, synced and renamed, and then the folder is synced, which holds the name.
 */

/** Returns the path of a hidden file in the same folder, which code that lists the folder skips. */
const temporaryPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)

/** Returns the mode at creation. Until a requested mode is set, other users cannot open the file. */
const initialMode = (mode: number | undefined): number => (mode === undefined ? 0o666 : 0o600)

/** False on Windows, which cannot open a folder and has a journal for them. */
const canSyncFolders = process.platform !== 'win32'

/** Syncs the names in a folder to disk. A renamed or a new file is safe only after this. */
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

/** A file that is written in pieces and replaces the file of its name when it is finished. */
export class AtomicFile {
  readonly #path: string
  readonly #temporary: string
  readonly #handle: FileHandle

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.#path = path
    this.#temporary = temporary
    this.#handle = handle
  }

  /** Creates the temporary file. The mode is exact, whatever the umask; without one the file gets the default mode. */
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

  /** Appends the content. */
  async write(content: string | Uint8Array): Promise<void> {
    await this.#handle.writeFile(content)
  }

  /** Publishes the file under its name. If it throws, the temporary file is removed. */
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

  /** Removes the temporary file; an older file of the name stays. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {})
    await rm(this.#temporary, { force: true })
  }
}

/** Writes or replaces a file; the parts are written in order, one at a time. */
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

/** A file under a temporary name, open to read and write, that has its content and is not synced yet. */
export interface TemporaryFile {
  readonly file: number
  readonly temporary: string
  /** Replaces the file of the name. It must be synced before. */
  publish(): void
  /** Closes and removes it. */
  discard(): void
}

/** Writes the content to a temporary file beside `path`. If it throws, nothing is left of it. */
export const createTemporarySync = (
  path: string,
  content: string | Uint8Array,
  mode: number,
): TemporaryFile => {
  const temporary = temporaryPath(path)
  const file = openSync(temporary, 'wx+', initialMode(mode))
  const discard = (): void => {
    closeSync(file)
    rmSync(temporary, { force: true })
  }
  try {
    fchmodSync(file, mode)
    writeFileSync(file, content)
  } catch (error) {
    discard()
    throw error
  }
  return { file, temporary, publish: () => renameSync(temporary, path), discard }
}

/** Writes the content to a temporary file, which `publish` gives its name. Returns the descriptor of the open file. */
const writeAndPublish = (
  path: string,
  content: string | Uint8Array,
  mode: number,
  publish = (created: TemporaryFile): void => created.publish(),
): number => {
  const created = createTemporarySync(path, content, mode)
  try {
    fsyncSync(created.file)
    publish(created)
  } catch (error) {
    created.discard()
    throw error
  }
  return created.file
}

/**
 * Writes or replaces a file and returns its descriptor, open to read and write. If it throws, an older file of the name
 * is unchanged. The folder is not synced yet: see `syncFolderSync`.
 */
export const replaceFileSync = (path: string, content: string | Uint8Array, mode: number): number =>
  writeAndPublish(path, content, mode)

/** Writes or replaces a file. */
export const writeFileAtomicallySync = (path: string, content: string | Uint8Array, mode: number): void => {
  closeSync(replaceFileSync(path, content, mode))
  syncFolderSync(dirname(path))
}

/** Creates a file; returns false if the name exists, even if it was created only just before. */
export const createFileSync = (path: string, content: string | Uint8Array, mode: number): boolean => {
  // Checked first, because it needs no permission to write in the folder.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false
  let isNew = true
  const publish = ({ temporary }: TemporaryFile): void => {
    try {
      linkSync(temporary, path)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      isNew = false
    }
    rmSync(temporary)
  }
  closeSync(writeAndPublish(path, content, mode, publish))
  if (isNew) syncFolderSync(dirname(path))
  return isNew
}

/** Removes what writers of this file left behind when their process was killed. Only for a file with one writer at a time. */
export const removeLeftovers = (path: string): void => {
  const folder = dirname(path)
  const leftover = new RegExp(`^\\.${escapeForPattern(basename(path))}\\.[0-9a-f]{12}\\.tmp$`)
  for (const name of readdirSync(folder)) if (leftover.test(name)) rmSync(join(folder, name), { force: true })
}

const escapeForPattern = (text: string): string => text.replaceAll(/[\\^$.|?+*()[\]{}]/g, '\\$&')
