import { lstat, mkdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { AtomicFile } from '../atomicFile.ts'
import { errorCode } from '../files.ts'
import { ProfilingError } from './profilingError.ts'

/** A name and nothing else: no folder, no way out of one, nothing hidden, nothing that a shell would take apart. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

export const isProfileName = (name: string): boolean => plainName.test(name)

/**
 * The folder `profiles` of a home: what the instruments write goes there and nowhere else. Files appear whole, under a
 * plain name; links are replaced, never followed.
 */
export class ProfileFolder {
  readonly #path: string

  constructor(home: string) {
    this.#path = join(home, 'profiles')
  }

  /** Where a file will be; `extension` is put behind a name without it, since tools go by it. */
  pathOf(name: string, extension: string): string {
    if (!isProfileName(name)) throw new ProfilingError(`not a plain file name: ${JSON.stringify(name)}`)
    return join(this.#path, extname(name) === extension ? name : `${name}${extension}`)
  }

  async write(path: string, text: string): Promise<void> {
    const file = await this.create(path)
    await file.append(text)
    await file.finish()
  }

  /** A file that is written bit by bit and has its name once it is finished. */
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

  /** What was appended so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** In the order of the calls; what fails is told by `finish` at the latest. */
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

/** A full disk, or a folder in place of the file: the operator's to put right. */
const toProfilingError = (error: unknown, path: string): unknown => {
  const code = errorCode(error)
  return code === undefined ? error : new ProfilingError(`${path} cannot be written: ${code}`)
}
