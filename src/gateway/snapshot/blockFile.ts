import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { StoreError } from '../../store/tables/chainMeta.ts'
import type { ExportedPiece } from './exportedBlock.ts'

/**
 * Blocks of a gateway's store in one file, to carry from one computer to another:
 *
 *   magic, records: the length (4 bytes) and that much JSON, packed by gzip, which has a checksum
 *
 * The first record says what is in the file, the others are pieces of it in their order. A length of 0 ends the file: a file
 * that was cut short has none.
 */
const magic = Buffer.from('perihelion blocks 1\n')
const lengthBytes = 4

/** More than any piece has: one block of 100 MB with its receipts. */
const maxPackedBytes = 256 * 2 ** 20
const maxTextBytes = 384 * 2 ** 20

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** What is in a file. */
export interface BlockFileContent {
  /** CometBFT's id of the chain. */
  readonly chain: string
  readonly first: number
  readonly head: number
}

const encodeLength = (length: number): Uint8Array => {
  const bytes = Buffer.alloc(lengthBytes)
  bytes.writeUInt32BE(length)
  return bytes
}

const encodeRecord = async (value: unknown): Promise<Uint8Array> => {
  const text = Buffer.from(JSON.stringify(value))
  const packed = await pack(text)
  if (text.length > maxTextBytes || packed.length > maxPackedBytes)
    throw new Error('a block is too large for a file of blocks')
  return Buffer.concat([encodeLength(packed.length), packed])
}

/** Returns the bytes of a file. */
export async function* encodeBlockFile(
  content: BlockFileContent,
  pieces: Iterable<ExportedPiece>,
): AsyncGenerator<Uint8Array> {
  yield magic
  yield await encodeRecord(content)
  for (const piece of pieces) yield await encodeRecord(piece)
  yield encodeLength(0)
}

/** Reads bytes that come in chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #waiting: Uint8Array = new Uint8Array()

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async read(length: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for (let missing = length; missing > 0; ) {
      if (this.#waiting.length === 0) {
        const { done, value } = await this.#chunks.next()
        if (done) throw new StoreError('the snapshot is cut short')
        this.#waiting = value
      }
      const part = this.#waiting.subarray(0, missing)
      this.#waiting = this.#waiting.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    return Buffer.concat(parts)
  }
}

const readRecord = async (reader: ByteReader): Promise<unknown> => {
  const length = (await reader.read(lengthBytes)).readUInt32BE()
  if (length === 0) return undefined
  if (length > maxPackedBytes) throw new StoreError('a piece of the snapshot is too long')
  const packed = await reader.read(length)
  try {
    return JSON.parse((await unpack(packed, { maxOutputLength: maxTextBytes })).toString())
  } catch (error) {
    throw new StoreError(`a piece of the snapshot is damaged: ${(error as Error).message}`)
  }
}

const isHeight = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const toContent = (value: unknown): BlockFileContent => {
  const { chain, first, head } = Object(value) as Partial<BlockFileContent>
  if (typeof chain !== 'string' || !isHeight(first) || !isHeight(head))
    throw new StoreError('the snapshot does not say what is in it')
  return { chain, first, head }
}

/** Returns a piece; what its blocks hold is checked with each. */
const toPiece = (value: unknown): ExportedPiece => {
  const { first, blocks } = Object(value) as Partial<ExportedPiece>
  if (!isHeight(first) || !Array.isArray(blocks))
    throw new StoreError('a piece of the snapshot has no blocks')
  return { first, blocks }
}

export interface BlockFile {
  readonly content: BlockFileContent
  /** Reads the pieces in order; throws a `StoreError` if they do not follow each other up to the head. */
  pieces(): AsyncGenerator<ExportedPiece>
}

/** Reads a snapshot from its bytes. Throws a `StoreError` if the bytes are not a snapshot of a gateway. */
export const readBlockFile = async (bytes: AsyncIterable<Uint8Array>): Promise<BlockFile> => {
  const reader = new ByteReader(bytes)
  // Whatever else it is, it may be shorter.
  for (const expected of magic)
    if ((await reader.read(1))[0] !== expected)
      throw new StoreError(
        'not a gateway snapshot: use a file that `perihelion snapshot export` wrote for a gateway',
      )
  const content = toContent(await readRecord(reader))
  const pieces = async function* (): AsyncGenerator<ExportedPiece> {
    let next = content.first
    for (;;) {
      const record = await readRecord(reader)
      if (record === undefined) break
      const piece = toPiece(record)
      if (piece.first !== next || piece.blocks.length === 0)
        throw new StoreError('the pieces of the snapshot do not follow each other')
      next += piece.blocks.length
      yield piece
    }
    if (next !== content.head + 1) throw new StoreError('the snapshot has other blocks than it says')
  }
  return { content, pieces }
}
