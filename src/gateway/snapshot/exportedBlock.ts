import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { NativeBlockReader } from '../../store/nativeRows.ts'

/** A block of the store as it travels to another gateway; bytes are base64. What follows from it is made again there. */
export interface ExportedBlock {
  /** The hash by which it is known. */
  readonly hash: string
  /** Header, transactions and what else is in the block, as RLP. */
  readonly block: string
  /** The JSON of the receipts. */
  readonly receipts: string
  /** The native block that it was converted from; missing if there is none. */
  readonly native?: {
    readonly hash: string
    readonly transactions: readonly string[]
    readonly info: string
  }
}

/** Blocks that follow each other. */
export interface ExportedPiece {
  readonly first: number
  readonly blocks: readonly ExportedBlock[]
}

export interface ExportSource {
  readonly blocks: BlockStoreReader
  readonly native: NativeBlockReader
}

const maxBlocks = 2_000
const maxBytes = 4 * 1024 * 1024

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const exportBlock = ({ blocks, native }: ExportSource, number: number): ExportedBlock => {
  const hash = blocks.blockHashAt(number)
  const block = blocks.blockRlp(number)
  const receipts = blocks.receiptsJson(number)
  if (!hash || !block || !receipts) throw new Error(`block ${number} is not in the store`)
  const found = native.block(number)
  return {
    hash: toText(hash),
    block: toText(block),
    receipts: Buffer.from(receipts).toString(),
    ...(found && {
      native: {
        hash: toText(found.hash),
        transactions: found.transactions.map(toText),
        info: Buffer.from(found.info).toString(),
      },
    }),
  }
}

/** Returns the piece that begins at a height, of a few megabytes. */
export const exportPiece = (source: ExportSource, first: number, head: number): ExportedPiece => {
  const found: ExportedBlock[] = []
  for (let bytes = 0; first + found.length <= head && found.length < maxBlocks && bytes < maxBytes; ) {
    const block = exportBlock(source, first + found.length)
    found.push(block)
    bytes += block.block.length + block.receipts.length + (block.native?.info.length ?? 0)
  }
  return { first, blocks: found }
}
