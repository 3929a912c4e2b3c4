import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { assertItemCount, decodeRlp, encodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import { type Block, bodyRoots, decodeBlock } from '../../chain/block/block.ts'
import { decodeHeader, headerHash } from '../../chain/block/header.ts'
import { decodeReceipt, encodeReceipt } from '../../chain/block/receipt.ts'
import { RlpListReader } from '../../chain/block/rlpListReader.ts'
import { listRoot } from '../../chain/block/trieRoot.ts'
import { type ChainConfig, forkAt } from '../../chain/config/chainConfig.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { SnapshotError } from '../../state/snapshot/snapshotError.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../../store/blockRows.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'

/**
 * The blocks that a snapshot contains beside the state: the headers that BLOCKHASH can read in the next block, and the
 * whole block of the snapshot with its receipts, so that a node that starts there has a head to show.
 *
 *   [[header, …], block, [receipt, …]]     each in its Ethereum encoding, as a string
 */

/** More than a block of any gas limit in use has; what comes from strangers is counted before it is decoded. */
const maxItems = 2 ** 20
const maxHeaderBytes = 2_048

/** The number of blocks that BLOCKHASH reaches back; the block of the snapshot is one of them. */
const blockHashWindow = 256

/**
 * Returns the number of headers before the one at this height. The genesis block is left out, because every node has
 * it.
 */
const headersBefore = (height: number): number => Math.min(blockHashWindow - 1, height - 1)

export interface SnapshotHistory {
  /** The block without the price of blob gas, which depends on the fork schedule in the state. */
  readonly block: Omit<ExecutedBlock, 'blobGasPrice'>
  /** The encoded headers, oldest first. */
  readonly headersBefore: readonly Uint8Array[]
}

export const encodeHistory = (blocks: BlockStoreReader, height: number): Uint8Array => {
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new SnapshotError(`block ${height} is not kept`)
    return value
  }
  const count = headersBefore(height)
  const headers = Array.from({ length: count }, (_, at) => required(blocks.headerRlp(height - count + at)))
  return encodeRlp([
    headers,
    required(blocks.blockRlp(height)),
    required(blocks.receipts(height)).map(encodeReceipt),
  ])
}

export interface ExpectedHistory {
  readonly height: number
  readonly genesisHash: Uint8Array
  /** The trusted hash of the block at the height. */
  readonly blockHash: Uint8Array
}

/**
 * Decodes a history. Throws a SnapshotError, an RlpError or a TransactionError if it is not the history of this block.
 */
export const decodeHistory = (
  bytes: Uint8Array,
  config: ChainConfig,
  { height, genesisHash, blockHash }: ExpectedHistory,
): SnapshotHistory => {
  assertItemCount(bytes, maxItems)
  const fields = new RlpListReader(decodeRlp(bytes), 'history')
  const headers = strings(fields.list('headers'))
  const block = decodeForeignBlock(fields.bytes('block'))
  const receipts = strings(fields.list('receipts'))
  fields.end()
  const count = headersBefore(height)
  if (headers.length !== count)
    throw new SnapshotError(`${headers.length} headers come with it instead of ${count}`)
  const parent = followHeaders(headers, height - count, genesisHash)
  const { header } = block
  if (header.number !== BigInt(height))
    throw new SnapshotError(`its block is ${header.number}, not ${height}`)
  assertSame('hash', headerHash(header), blockHash)
  assertSame('parentHash', header.parentHash, parent)
  assertBody(block, receipts)
  return { block: executedBlock(block, receipts, config), headersBefore: headers }
}

const decodeForeignBlock = (bytes: Uint8Array): Block => {
  assertItemCount(bytes, maxItems)
  return decodeBlock(bytes)
}

const strings = (items: readonly RlpItem[]): readonly Uint8Array[] =>
  items.map((item) => {
    if (item instanceof Uint8Array) return item
    throw new SnapshotError('a part of the history is a list')
  })

/** Checks that each header follows the previous one and returns the hash of the last; undefined if there is none. */
const followHeaders = (
  headers: readonly Uint8Array[],
  first: number,
  genesisHash: Uint8Array,
): Uint8Array | undefined => {
  let parent = first === 1 ? genesisHash : undefined
  for (const [index, rlp] of headers.entries()) {
    if (rlp.length > maxHeaderBytes) throw new SnapshotError(`header ${first + index} is too long`)
    const header = decodeHeader(rlp)
    if (header.number !== BigInt(first + index))
      throw new SnapshotError(`header ${first + index} has number ${header.number}`)
    assertSame(`parent of header ${first + index}`, header.parentHash, parent)
    parent = keccak256(rlp)
  }
  return parent
}

const assertSame = (name: string, value: Uint8Array | undefined, wanted: Uint8Array | undefined): void => {
  if (wanted !== undefined && (value === undefined || !equalBytes(value, wanted)))
    throw new SnapshotError(`the ${name} of its block is wrong`)
}

const assertBody = (block: Block, receipts: readonly Uint8Array[]): void => {
  const roots = bodyRoots(block)
  for (const name of ['ommersHash', 'transactionsRoot', 'withdrawalsRoot'] as const)
    if (roots[name] !== undefined || block.header[name] !== undefined)
      assertSame(name, roots[name], block.header[name] ?? new Uint8Array(0))
  if (receipts.length !== block.transactions.length)
    throw new SnapshotError('its block does not have a receipt for each transaction')
  assertSame('receiptsRoot', listRoot([...receipts]), block.header.receiptsRoot)
}

const executedBlock = (
  { header, transactions, ommers, withdrawals }: Block,
  receipts: readonly Uint8Array[],
  config: ChainConfig,
): SnapshotHistory['block'] => ({
  header,
  hash: headerHash(header),
  transactions: transactions.map(({ transaction, raw }, index): ExecutedTransaction => {
    const sender = recoverSender(transaction, forkAt(config, header.number, header.timestamp))
    if (sender === undefined) throw new SnapshotError(`nobody signed transaction ${index} of its block`)
    const receipt = decodeReceipt(receipts[index] as Uint8Array) // counted above
    return { transaction, raw, hash: keccak256(raw), sender, receipt }
  }),
  ommers,
  withdrawals,
})
