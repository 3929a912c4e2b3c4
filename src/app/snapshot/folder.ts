import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { decodeRlp, encodeRlp } from '../../base/encoding/rlp.ts'
import { syncFolder, writeFileAtomically } from '../../base/files/atomicFile.ts'
import { RlpListReader } from '../../chain/block/rlpListReader.ts'
import { decodeLengths, decodeMetadata, encodeLengths, type SnapshotMetadata } from './metadata.ts'

/**
 * Snapshots on disk, each in a folder named after its height. The file `chunks` holds the chunks one after the other,
 * `index` the RLP of [metadata, lengths]. An unfinished snapshot is in a folder with another name, so that a folder
 * with a height as its name is complete.
 */

export interface StoredSnapshot {
  readonly height: number
  /** The encoded metadata that is offered to peers. */
  readonly encoded: Uint8Array
  /** The keccak256 of the encoded metadata, which identifies the snapshot among those of its height. */
  readonly hash: Uint8Array
  readonly metadata: SnapshotMetadata
  /** The end of each chunk in the file. */
  readonly ends: readonly number[]
}

const partial = '.partial'

/** Loads the snapshots of the folder and removes those that are incomplete or unreadable. */
export const loadSnapshots = (folder: string): readonly StoredSnapshot[] => {
  if (!existsSync(folder)) return []
  const found: StoredSnapshot[] = []
  for (const name of readdirSync(folder)) {
    const snapshot = /^\d+$/.test(name) ? loadIndex(join(folder, name), Number(name)) : undefined
    if (snapshot) found.push(snapshot)
    else if (/^\d+$/.test(name) || name.endsWith(partial))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
  return found.sort((a, b) => a.height - b.height)
}

export const loadSnapshot = (folder: string, height: number): StoredSnapshot | undefined =>
  loadIndex(join(folder, `${height}`), height)

const loadIndex = (path: string, height: number): StoredSnapshot | undefined => {
  try {
    const fields = new RlpListReader(decodeRlp(readFileSync(join(path, 'index'))), 'index')
    const encoded = fields.bytes('metadata')
    const metadata = decodeMetadata(encoded)
    let end = 0
    const ends = decodeLengths(fields.bytes('lengths')).map((length) => (end += length))
    fields.end()
    return ends.length === metadata.chunks.length
      ? { height, encoded, hash: keccak256(encoded), metadata, ends }
      : undefined
  } catch {
    return undefined
  }
}

export const removeSnapshot = (folder: string, height: number): Promise<void> =>
  rm(join(folder, `${height}`), { recursive: true, force: true })

/** Returns one chunk; undefined if the snapshot has no chunk with this index. */
export const loadChunk = async (
  folder: string,
  { height, ends }: StoredSnapshot,
  index: number,
): Promise<Uint8Array | undefined> => {
  const end = ends[index]
  if (end === undefined) return undefined
  const start = ends[index - 1] ?? 0
  const pieces: Buffer[] = []
  const stream = createReadStream(join(folder, `${height}`, 'chunks'), { start, end: end - 1 })
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Writes a snapshot chunk by chunk. When `finish` resolves, it has its final name and is synced to disk. */
export class SnapshotWriter {
  readonly #folder: string
  readonly #height: number
  readonly #file: FileHandle
  readonly #hashes: Uint8Array[] = []
  readonly #lengths: number[] = []

  private constructor(folder: string, height: number, file: FileHandle) {
    this.#folder = folder
    this.#height = height
    this.#file = file
  }

  static async create(folder: string, height: number): Promise<SnapshotWriter> {
    const path = join(folder, `${height}${partial}`)
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return new SnapshotWriter(folder, height, await open(join(path, 'chunks'), 'wx', 0o600))
  }

  get chunks(): readonly Uint8Array[] {
    return this.#hashes
  }

  async add(chunk: Uint8Array): Promise<void> {
    await this.#file.writeFile(chunk)
    this.#hashes.push(keccak256(chunk))
    this.#lengths.push(chunk.length)
  }

  async finish(metadata: Uint8Array): Promise<void> {
    const path = join(this.#folder, `${this.#height}`)
    await this.#file.sync()
    await this.#file.close()
    const index = encodeRlp([metadata, encodeLengths(this.#lengths)])
    await writeFileAtomically(join(`${path}${partial}`, 'index'), [index], 0o600)
    await rename(`${path}${partial}`, path)
    await syncFolder(this.#folder)
  }

  /** Removes the unfinished snapshot. */
  async abort(): Promise<void> {
    await this.#file.close()
    await rm(join(this.#folder, `${this.#height}${partial}`), { recursive: true, force: true })
  }
}
