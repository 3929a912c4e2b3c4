import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { toBigInt } from '../../base/encoding/bytes.ts'
import { decodeRlp, encodeRlp } from '../../base/encoding/rlp.ts'
import { syncFolder } from '../../base/files/atomicFile.ts'
import { RlpListReader } from '../../chain/block/rlpListReader.ts'
import { encodeInteger } from '../../chain/transaction/encode.ts'
import { SnapshotError } from '../../state/snapshot/snapshotError.ts'
import { loadSnapshot } from './folder.ts'
import { decodeLengths, decodeMetadata, encodeLengths, type SnapshotMetadata } from './metadata.ts'

/**
 * A snapshot in one file, to carry from one computer to another:
 *
 *   magic, length of the index (4 bytes), index: RLP of [height, metadata, lengths], chunks one after the other
 */
const magic = Buffer.from('perihelion snapshot 1\n')

/** No chain has so many chunks that their hashes need more. */
const maxIndexBytes = 256 * 2 ** 20
/** Far above the size that chunks are made with. */
const maxChunkBytes = 256 * 2 ** 20

export interface SnapshotFile {
  readonly height: number
  /** The encoded metadata. */
  readonly encoded: Uint8Array
  readonly metadata: SnapshotMetadata
  /** Reads the chunks in order. */
  chunks(): AsyncGenerator<Uint8Array>
  close(): Promise<void>
}

/** Writes a snapshot of a folder to a file, which is there when all of it is. */
export const packSnapshot = async (folder: string, height: number, path: string): Promise<void> => {
  const snapshot = loadSnapshot(folder, height)
  if (snapshot === undefined) throw new SnapshotError(`the snapshot of block ${height} cannot be read`)
  const lengths = snapshot.ends.map((end, at) => end - (snapshot.ends[at - 1] ?? 0))
  const index = encodeRlp([encodeInteger(BigInt(height)), snapshot.encoded, encodeLengths(lengths)])
  const partial = `${path}.partial`
  try {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(index.length)
    // What a killed process left there, or a link, whose target would be overwritten.
    await rm(partial, { force: true })
    const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
    for (const head of [magic, size, index]) output.write(head)
    await pipeline(createReadStream(join(folder, `${height}`, 'chunks')), output)
    await rename(partial, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Opens a file; throws a SnapshotError if it is none of ours. Its chunks are checked by whoever takes them. */
export const openSnapshotFile = async (path: string): Promise<SnapshotFile> => {
  const file = await open(path)
  try {
    const start = await readBytes(file, 0, magic.length + 4)
    if (!start.subarray(0, magic.length).equals(magic)) throw new SnapshotError('it is not a snapshot')
    const indexLength = start.readUInt32BE(magic.length)
    if (indexLength > maxIndexBytes) throw new SnapshotError('its index is too long')
    const index = new RlpListReader(decodeRlp(await readBytes(file, start.length, indexLength)), 'index')
    const height = Number(toBigInt(index.bytes('height')))
    const encoded = index.bytes('metadata')
    const lengths = decodeLengths(index.bytes('lengths'))
    index.end()
    const metadata = decodeMetadata(encoded)
    if (lengths.length !== metadata.chunks.length) throw new SnapshotError('it contradicts itself')
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      let at = start.length + indexLength
      for (const length of lengths) {
        if (length > maxChunkBytes) throw new SnapshotError('a chunk is too long')
        yield await readBytes(file, at, length)
        at += length
      }
    }
    return { height, encoded, metadata, chunks, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

const readBytes = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read)
    if (bytesRead === 0) throw new SnapshotError('it is cut short')
    read += bytesRead
  }
  return bytes
}
