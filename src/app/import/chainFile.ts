/** Reads a chain in geth's export format: the RLP of one block after the other. Only one block is held in memory. */

/** The maximum size of a block, far above what gas limits allow. A larger length means that the file is damaged. */
const maxBlockBytes = 128 * 2 ** 20

export class ChainFileError extends Error {
  override readonly name = 'ChainFileError'
}

/** Returns the length of the list at the start of `bytes`, with its prefix; undefined if more bytes are needed. */
const decodeListLength = (bytes: Uint8Array, position: number): number | undefined => {
  const first = bytes[0]
  if (first === undefined) return undefined
  if (first < 0xc0) throw new ChainFileError(`byte ${position}: no block begins here`)
  if (first < 0xf8) return 1 + first - 0xc0
  const size = first - 0xf7
  if (bytes.length < 1 + size) return undefined
  let length = 0
  for (let index = 1; index <= size; index++) length = length * 256 + (bytes[index] as number)
  if (length > maxBlockBytes) throw new ChainFileError(`byte ${position}: a block of ${length} bytes`)
  return 1 + size + length
}

export interface EncodedBlock {
  readonly bytes: Uint8Array
  /** The position in the file after the block. */
  readonly end: number
}

/** Yields the blocks of a file that is read in chunks. */
export async function* readBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EncodedBlock> {
  let held: Uint8Array[] = []
  let heldLength = 0
  let needed = 1
  let position = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    heldLength += chunk.length
    if (heldLength < needed) continue
    let bytes: Uint8Array = held.length === 1 ? chunk : Buffer.concat(held)
    for (;;) {
      const length = decodeListLength(bytes, position)
      needed = length ?? bytes.length + 1
      if (length === undefined || bytes.length < length) break
      position += length
      // The block is copied, so that a small block does not keep its whole chunk in memory.
      yield { bytes: bytes.slice(0, length), end: position }
      bytes = bytes.subarray(length)
    }
    held = [bytes]
    heldLength = bytes.length
  }
  if (heldLength > 0) throw new ChainFileError(`byte ${position}: the file ends within a block`)
}
