import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { type Block, bodyRoots, decodeBlock } from '../../chain/block/block.ts'
import { mergeBlooms } from '../../chain/block/bloom.ts'
import { headerHash } from '../../chain/block/header.ts'
import { type Receipt, receiptsRoot } from '../../chain/block/receipt.ts'
import { forkAt } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { blobGasPrice } from '../../chain/fees/blobGas.ts'
import { receiptFromJson } from '../../chain/json/parseReceipt.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import { parseNativeBlockInfo, type StoredNativeBlockInfo } from '../../families/convert/nativeBlockInfo.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import type { NativeRows } from '../../store/nativeRows.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { toNativeRows } from '../nativeView/nativeRows.ts'
import type { ExportedBlock } from './exportedBlock.ts'

/** What a block must follow. */
export interface ExpectedBlock {
  readonly number: number
  /** The hash of the block before it; undefined if none is known. */
  readonly parentHash: Uint8Array | undefined
  /** Whether its hash is that of its header, and not one of the native block. */
  readonly hasOwnHash: boolean
}

const failure = (number: number, what: string): StoreError =>
  new StoreError(`block ${number} of the snapshot cannot be taken: ${what}`)

const fromText = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

/** Throws if a block is not what its header says, or does not follow the one before it. */
const verify = (
  { header, ...body }: Block,
  receipts: readonly Receipt[],
  hash: Uint8Array,
  { number, parentHash, hasOwnHash }: ExpectedBlock,
): void => {
  const fail = (what: string): never => {
    throw failure(number, what)
  }
  if (header.number !== BigInt(number)) fail(`its header says ${header.number}`)
  if (parentHash && !equalBytes(header.parentHash, parentHash)) fail('its parent is not the block before it')
  if (hasOwnHash && !equalBytes(headerHash(header), hash)) fail('its header does not match its hash')
  if (receipts.length !== body.transactions.length) fail('it does not have a receipt for each transaction')
  for (const [name, root] of Object.entries(bodyRoots(body)))
    if (root && !equalBytes(root, header[name as 'transactionsRoot'])) fail(`its ${name} is wrong`)
  if (!equalBytes(receiptsRoot(receipts), header.receiptsRoot)) fail('its receiptsRoot is wrong')
  if (!equalBytes(mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)), header.logsBloom))
    fail('its logsBloom is wrong')
}

interface ImportedNative {
  readonly rows: NativeRows
  readonly info: StoredNativeBlockInfo
}

const importNative = (native: NonNullable<ExportedBlock['native']>, bech32Prefix: string): ImportedNative => {
  const hash = fromText(native.hash)
  const transactions = native.transactions.map(fromText)
  const bytes = Buffer.from(native.info)
  const info = parseNativeBlockInfo({ hash, transactions, info: bytes })
  return {
    info,
    rows: toNativeRows(info, bytes, bech32Prefix),
  }
}

/**
 * Throws if the native block is missing, or is not the one of the header. Only block 0 of a chain of this program has
 * none. What the native hash covers is not kept, so that the header itself is believed where its hash is the native one.
 */
const verifyNative = (
  native: ImportedNative | undefined,
  { timestamp }: Block['header'],
  hash: Uint8Array,
  { number, hasOwnHash }: ExpectedBlock,
): void => {
  if (native === undefined) {
    if (hasOwnHash && number === 0) return
    throw failure(number, 'its native block is missing')
  }
  const { info, rows } = native
  if (rows.hash.length !== 32) throw failure(number, 'its native block has no hash')
  if (!hasOwnHash && !equalBytes(rows.hash, hash)) throw failure(number, 'it has the hash of another block')
  if (info.height !== number || info.time.seconds !== timestamp)
    throw failure(number, 'its native block is another one')
}

const senderOf = (transaction: Transaction, fork: Fork, number: number): Uint8Array => {
  const sender = recoverSender(transaction, fork)
  if (sender === undefined) throw failure(number, 'a transaction has no valid signature')
  return sender
}

const convert = (exported: ExportedBlock, expected: ExpectedBlock, chainInfo: ChainInfo): BlockWrite => {
  const { config } = chainInfo
  const { number } = expected
  const hash = fromText(exported.hash)
  const block = decodeBlock(fromText(exported.block))
  const { header, ommers, withdrawals } = block
  const list = JSON.parse(exported.receipts) as Parameters<typeof receiptFromJson>[0][] // the roots check them
  const receipts = list.map(receiptFromJson)
  verify(block, receipts, hash, expected)
  const native = exported.native && importNative(exported.native, chainInfo.bech32Prefix)
  verifyNative(native, header, hash, expected)
  const fork = forkAt(config, header.number, header.timestamp, true)
  const transactions = block.transactions.map(({ transaction, raw }, index) => ({
    transaction,
    raw,
    hash: keccak256(raw),
    sender: senderOf(transaction, fork, number),
    receipt: receipts[index] as Receipt, // as many as transactions
  }))
  const rows = encodeBlockRows({
    header,
    hash,
    transactions,
    ommers,
    withdrawals,
    blobGasPrice: blobGasPrice(config, header),
  })
  return {
    rows: native === undefined ? rows : { ...rows, native: native.rows },
    number,
    time: Number(header.timestamp),
    nativeHash: native?.rows.hash ?? new Uint8Array(),
    resultsHash: native?.info.resultsHash ?? new Uint8Array(),
    appHash: native?.info.appHash,
    node: undefined,
  }
}

/** Checks a block of a snapshot and encodes it for the store. Throws a `StoreError`. */
export const importBlock = (
  exported: ExportedBlock,
  expected: ExpectedBlock,
  chainInfo: ChainInfo,
): BlockWrite => {
  try {
    return convert(exported, expected, chainInfo)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw failure(expected.number, `it is not a block: ${(error as Error).message}`)
  }
}
