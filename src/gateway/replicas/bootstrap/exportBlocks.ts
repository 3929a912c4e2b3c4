import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import type { NativeBlockReader } from '../../../store/nativeRows.ts'

/** A block of the store as it travels to another replica; bytes are base64. What follows from it is made anew there. */
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

/** A piece of a store. */
export interface ExportedBlocks {
  readonly chain: string
  readonly first: number
  readonly head: number
  readonly blocks: readonly ExportedBlock[]
}

interface ExportSource {
  readonly chain: string
  readonly blocks: BlockStoreReader
  readonly native: NativeBlockReader
  readonly headNumber: () => number
}

const maxBlocks = 2_000
const maxBytes = 4 * 1024 * 1024

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const exportBlock = ({ blocks, native }: ExportSource, number: number): ExportedBlock | undefined => {
  const hash = blocks.blockHashAt(number)
  const block = blocks.blockRlp(number)
  const receipts = blocks.receiptsJson(number)
  if (!hash || !block || !receipts) return undefined
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

/** Returns the next piece from a height on; undefined means from the oldest block that is complete. */
export const exportBlocks = (source: ExportSource, from: number | undefined): ExportedBlocks => {
  const head = source.headNumber()
  const first = from ?? source.blocks.oldestComplete()
  const found: ExportedBlock[] = []
  for (
    let number = first, bytes = 0;
    number <= head && found.length < maxBlocks && bytes < maxBytes;
    number++
  ) {
    const block = exportBlock(source, number)
    if (block === undefined) break
    found.push(block)
    bytes += block.block.length + block.receipts.length + (block.native?.info.length ?? 0)
  }
  return { chain: source.chain, first, head, blocks: found }
}
