import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fromHex } from '../../base/encoding/hex.ts'
import { KeystoreError } from '../keystoreError.ts'
import { checkFolder, readPrivateFile, writePrivateFile } from '../privateFiles.ts'
import { maxKeyFileBytes, readKeyFileAddress } from './keyFile.ts'

export interface FolderEntry {
  readonly name: string
  /** The address; undefined if neither the file nor its name states it. */
  readonly address: Uint8Array | undefined
}

/** The resolution of time stamps: within this time after a change a folder may change again without a new one. */
const stampMs = 2000

/**
 * The key files of a folder. It is read again when it has changed, so that keys which another program adds are
 * found.
 */
export class KeyFolder {
  readonly path: string
  #entries: readonly FolderEntry[] = []
  #stamp: bigint | number | undefined
  #isSettled = false

  constructor(path: string) {
    this.path = path
  }

  /** Returns the files by name, which in geth's format is by age. */
  entries(): readonly FolderEntry[] {
    const stats = checkFolder(this.path)
    if (stats === undefined) {
      this.#entries = []
      this.#stamp = undefined
      return this.#entries
    }
    if (stats.mtimeMs !== this.#stamp || !this.#isSettled) {
      this.#entries = this.#read()
      this.#stamp = stats.mtimeMs
      this.#isSettled = Date.now() - stats.mtimeMs > stampMs
    }
    return this.#entries
  }

  read(name: string): string {
    return readPrivateFile(join(this.path, name), maxKeyFileBytes)
  }

  async write(name: string, text: string): Promise<void> {
    await writePrivateFile(this.path, name, text)
    this.#stamp = undefined
  }

  #read(): readonly FolderEntry[] {
    return readdirSync(this.path, { withFileTypes: true })
      .filter((entry) => entry.isFile() && isKeyFileName(entry.name))
      .map(({ name }) => name)
      .sort()
      .flatMap((name) => this.#entryOf(name))
  }

  /** Reads one file. A file that is not a key file is ignored, and must not hide the others. */
  #entryOf(name: string): FolderEntry[] {
    try {
      return [{ name, address: readKeyFileAddress(this.read(name)) ?? addressInName(name) }]
    } catch (error) {
      if (!(error instanceof KeystoreError)) throw error
      const address = addressInName(name)
      // Kept with its name, so that opening it shows the error.
      return address === undefined ? [] : [{ name, address }]
    }
  }
}

/**
 * Returns whether a name may be that of a key file. As in geth, hidden files and backups of editors (`~`) are
 * ignored.
 */
const isKeyFileName = (name: string): boolean => !name.startsWith('.') && !name.endsWith('~')

const addressInName = (name: string): Uint8Array | undefined => {
  const [, digits] = /^UTC--.*--([0-9a-fA-F]{40})$/.exec(name) ?? []
  return digits === undefined ? undefined : fromHex(`0x${digits}`)
}
