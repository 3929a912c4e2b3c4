import { equalBytes } from '../../base/encoding/bytes.ts'
import { decodeRlp, RlpError } from '../../base/encoding/rlp.ts'
import { type Block, type BlockTransaction, decodeBlock } from '../../chain/block/block.ts'
import { type Header, headerFromFields, headerHash } from '../../chain/block/header.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { TransactionError } from '../../chain/transaction/transaction.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { type ChainImporter, type ImportedBlock, toImportedBlock } from './block.ts'
import { ChainFileError, type EncodedBlock, readBlocks } from './chainFile.ts'
import { InvalidBlockError } from './invalidBlock.ts'

/** A commit costs one sync of the disk. These limits bound the memory that a batch uses before its commit. */
const maxBatchBlocks = 256
const maxBatchBytes = 4 * 2 ** 20
const maxBatchGas = 300_000_000n

export interface ImportProgress {
  /** The newest block that was written. */
  readonly number: bigint
  readonly blocks: number
  readonly transactions: number
  readonly gas: bigint
  /** The position in the uncompressed file. */
  readonly position: number
}

/** Returns the sender of a transaction under the rules of a fork; undefined if the signature is invalid. */
export type RecoverSender = (transaction: BlockTransaction, fork: Fork) => Promise<Uint8Array | undefined>

export interface ImportOptions {
  readonly recoverSender: RecoverSender
  readonly onProgress: (progress: ImportProgress) => void
}

/**
 * Imports the blocks of a file that follow the head. Earlier blocks must equal the stored ones. While one batch is
 * executed, the next is read and its senders are recovered.
 */
export const importFile = async (
  importer: ChainImporter,
  stored: BlockStoreReader,
  chunks: AsyncIterable<Uint8Array>,
  { recoverSender, onProgress }: ImportOptions,
): Promise<ImportProgress> => {
  const writer = new BatchWriter(importer, onProgress)
  let batch = new Batch()
  const headNumber = Number(importer.head.header.number)
  let previous = -1
  try {
    for await (const encoded of readBlocks(chunks)) {
      const { header, number } = headerOf(encoded, previous)
      previous = number
      if (number <= headNumber) checkKnown(stored, header, number)
      else
        batch.add(
          decodeOrFail(encoded, number),
          encoded,
          recoverSender,
          forkOfHeader(importer.config, header),
        )
      if (!batch.isFull) continue
      await writer.write(batch)
      batch = new Batch()
    }
  } catch (error) {
    // The blocks before the damage are valid.
    if (error instanceof ChainFileError) await writer.write(batch)
    await writer.finish()
    throw error
  }
  await writer.write(batch)
  return writer.finish()
}

interface BlockWithPendingSenders {
  readonly block: Block
  readonly size: number
  readonly senders: Promise<readonly (Uint8Array | undefined)[]>
}

class Batch {
  readonly blocks: BlockWithPendingSenders[] = []
  transactions = 0
  gas = 0n
  #bytes = 0
  position = 0

  get isFull(): boolean {
    return this.blocks.length >= maxBatchBlocks || this.#bytes >= maxBatchBytes || this.gas >= maxBatchGas
  }

  add(block: Block, { bytes, end }: EncodedBlock, recoverSender: RecoverSender, fork: Fork): void {
    const senders = Promise.all(block.transactions.map((transaction) => recoverSender(transaction, fork)))
    senders.catch(() => undefined) // reported where it is awaited; the batch may be dropped before
    this.blocks.push({ block, size: bytes.length, senders })
    this.transactions += block.transactions.length
    this.gas += block.header.gasUsed
    this.#bytes += bytes.length
    this.position = end
  }
}

/** Writes one batch at a time while the next one is read. */
class BatchWriter {
  readonly #importer: ChainImporter
  readonly #onProgress: (progress: ImportProgress) => void
  #progress: ImportProgress
  #writing: Promise<void> = Promise.resolve()

  constructor(importer: ChainImporter, onProgress: (progress: ImportProgress) => void) {
    this.#importer = importer
    this.#onProgress = onProgress
    this.#progress = { number: importer.head.header.number, blocks: 0, transactions: 0, gas: 0n, position: 0 }
  }

  /** Waits for the previous batch, throws its error if it failed, and starts to write this one. */
  async write(batch: Batch): Promise<void> {
    await this.#writing
    if (batch.blocks.length === 0) return
    this.#writing = this.#import(batch)
    this.#writing.catch(() => undefined) // thrown by the next call
  }

  async finish(): Promise<ImportProgress> {
    await this.#writing
    return this.#progress
  }

  async #import(batch: Batch): Promise<void> {
    const blocks: ImportedBlock[] = []
    try {
      for (const { block, size, senders } of batch.blocks)
        blocks.push(toImportedBlock(block, size, await senders))
    } catch (error) {
      if (error instanceof InvalidBlockError) await this.#importer.importBlocks(blocks)
      throw error
    }
    await this.#importer.importBlocks(blocks)
    this.#progress = {
      number: this.#importer.head.header.number,
      blocks: this.#progress.blocks + blocks.length,
      transactions: this.#progress.transactions + batch.transactions,
      gas: this.#progress.gas + batch.gas,
      position: batch.position,
    }
    this.#onProgress(this.#progress)
  }
}

/** Converts an encoding error to an error that names the position, because the block has no number. */
const toFileError = (error: unknown, what: string): unknown =>
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
    throw toFileError(error, `${after}, which ends at byte ${end}`)
  }
}

const decodeOrFail = ({ bytes }: EncodedBlock, number: number): Block => {
  try {
    return decodeBlock(bytes)
  } catch (error) {
    throw toFileError(error, `block ${number}`)
  }
}

const checkKnown = (stored: BlockStoreReader, header: Header, number: number): void => {
  const hash = headerHash(header)
  const storedHash = stored.blockHashAt(number)
  if (storedHash === undefined || !equalBytes(storedHash, hash))
    throw new InvalidBlockError(BigInt(number), 'hash', storedHash, hash)
}
