import { equalBytes } from '../base/bytes.ts'
import { decodeRlp, RlpError } from '../base/rlp.ts'
import { type Header, headerFromFields, headerHash } from '../chain/header.ts'
import { TransactionError } from '../chain/transaction/types.ts'
import type { BlockReader } from '../store/blockReader.ts'
import { ChainFileError, type EncodedBlock, readBlocks } from './chainFile.ts'
import { type ChainImporter, type ForeignBlock, readForeignBlock } from './importBlock.ts'
import { InvalidBlockError } from './invalidBlock.ts'

/** One commit is one sync of the disk; these bound what is held in memory until then. */
const maxBatchBlocks = 256
const maxBatchBytes = 4 * 2 ** 20
const maxBatchGas = 300_000_000n

export interface ImportProgress {
  /** The newest block that is written. */
  readonly number: bigint
  readonly blocks: number
  readonly transactions: number
  readonly gas: bigint
  /** How much of the file, unpacked, is done. */
  readonly position: number
}

/** Imports the blocks of a file that follow the head. Those up to the head must be the ones that are there. */
export const importFile = async (
  importer: ChainImporter,
  stored: BlockReader,
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportProgress> => {
  let progress: ImportProgress = {
    number: importer.head.header.number,
    blocks: 0,
    transactions: 0,
    gas: 0n,
    position: 0,
  }
  let batch = new Batch()
  const write = async (): Promise<void> => {
    if (batch.blocks.length === 0) return
    const { blocks, transactions, gas, position } = batch
    batch = new Batch()
    await importer.importBlocks(blocks)
    progress = {
      number: importer.head.header.number,
      blocks: progress.blocks + blocks.length,
      transactions: progress.transactions + transactions,
      gas: progress.gas + gas,
      position,
    }
    onProgress(progress)
  }
  const known = Number(importer.head.header.number)
  let previous = -1
  try {
    for await (const encoded of readBlocks(chunks)) {
      const { header, number } = headerOf(encoded, previous)
      previous = number
      if (number <= known) checkKnown(stored, header, number)
      else batch.add(read(encoded, importer, number), encoded)
      if (batch.isFull) await write()
    }
  } catch (error) {
    // What came before the damage is good; a block that is at fault itself has been written up to by importBlocks.
    if (error instanceof ChainFileError) await write()
    throw error
  }
  await write()
  return progress
}

class Batch {
  readonly blocks: ForeignBlock[] = []
  transactions = 0
  gas = 0n
  bytes = 0
  position = 0

  get isFull(): boolean {
    return this.blocks.length >= maxBatchBlocks || this.bytes >= maxBatchBytes || this.gas >= maxBatchGas
  }

  add(block: ForeignBlock, { bytes, end }: EncodedBlock): void {
    this.blocks.push(block)
    this.transactions += block.candidates.length
    this.gas += block.header.gasUsed
    this.bytes += bytes.length
    this.position = end
  }
}

/** What is no block at all: told by its place, as it has no number. */
const misread = (error: unknown, what: string): unknown =>
  error instanceof RlpError || error instanceof TransactionError
    ? new ChainFileError(`${what}: ${error.message}`)
    : error

const headerOf = ({ bytes, end }: EncodedBlock, previous: number) => {
  try {
    const block = decodeRlp(bytes)
    if (block instanceof Uint8Array) throw new RlpError('not a list')
    const header = headerFromFields(block[0])
    if (header.number > BigInt(Number.MAX_SAFE_INTEGER))
      throw new RlpError(`number ${header.number} is too large`)
    return { header, number: Number(header.number) }
  } catch (error) {
    const after = previous < 0 ? 'the first block' : `the block after ${previous}`
    throw misread(error, `${after}, which ends at byte ${end}`)
  }
}

const read = ({ bytes }: EncodedBlock, { config }: ChainImporter, number: number): ForeignBlock => {
  try {
    return readForeignBlock(bytes, config)
  } catch (error) {
    throw misread(error, `block ${number}`)
  }
}

const checkKnown = (stored: BlockReader, header: Header, number: number): void => {
  const hash = headerHash(header)
  const own = stored.blockHashAt(number)
  if (own === undefined || !equalBytes(own, hash))
    throw new InvalidBlockError(BigInt(number), 'hash', own, hash)
}
