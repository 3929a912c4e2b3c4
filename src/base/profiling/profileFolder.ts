import { lstat, mkdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { AtomicFile } from '../files/atomicFile.ts'
import { errorCode } from '../files/writeAll.ts'
import { ProfilingError } from './profilingError.ts'

/** Matches a plain file name: no folders, nothing hidden, nothing that a shell would interpret. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

export const isProfileName = (name: string): boolean => plainName.test(name)

/**
 * The folder `profiles` of a home, the only one to which profiles are written. Files appear complete, under a plain
 * name; links are replaced, never followed.
 */
export class ProfileFolder {
  readonly #path: string

  constructor(home: string) {
    this.#path = join(home, 'profiles')
  }

  /** Returns the path of a file. `extension` is added to a name without it, because tools depend on it. */
  pathOf(name: string, extension: string): string {
    if (!isProfileName(name)) throw new ProfilingError(`not a plain file name: ${JSON.stringify(name)}`)
    return join(this.#path, extname(name) === extension ? name : `${name}${extension}`)
  }

  async write(path: string, text: string): Promise<void> {
    const file = await this.create(path)
    await file.append(text)
    await file.finish()
  }

  /** Creates a file that is written in pieces and gets its name when it is finished. */
  async create(path: string): Promise<ProfileFile> {
    try {
      await this.#ensureFolder()
      return new ProfileFile(await AtomicFile.create(path, 0o600), path)
    } catch (error) {
      throw toProfilingError(error, path)
    }
  }

  async #ensureFolder(): Promise<void> {
    try {
      await mkdir(this.#path, { mode: 0o700 })
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      if (!(await lstat(this.#path)).isDirectory()) {
        throw new ProfilingError(`${this.#path} is not a folder: profiles are written nowhere else`)
      }
    }
  }
}

export class ProfileFile {
  readonly #file: AtomicFile
  readonly #path: string
  #written: Promise<void> = Promise.resolve()
  #bytes = 0

  constructor(file: AtomicFile, path: string) {
    this.#file = file
    this.#path = path
  }

  /** The number of bytes that were appended so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Appends in the order of the calls. `finish` throws the error of a failed append. */
  append(text: string): Promise<void> {
    this.#bytes += Buffer.byteLength(text)
    this.#written = this.#written.then(() => this.#file.write(text))
    this.#written.catch(() => {})
    return this.#written
  }

  async finish(): Promise<void> {
    try {
      await this.#written
      await this.#file.finish()
    } catch (error) {
      await this.discard()
      throw toProfilingError(error, this.#path)
    }
  }

  discard(): Promise<void> {
    return this.#file.discard()
  }
}

/** Converts system errors, such as a full disk, to errors that are shown to the operator. */
const toProfilingError = (error: unknown, path: string): unknown => {
  const code = errorCode(error)
  return code === undefined ? error : new ProfilingError(`${path} cannot be written: ${code}`)
}
