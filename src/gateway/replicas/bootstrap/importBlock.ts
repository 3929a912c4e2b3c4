import { keccak256 } from '../../../base/crypto.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { type Block, bodyRoots, decodeBlock } from '../../../chain/block/block.ts'
import { mergeBlooms } from '../../../chain/block/bloom.ts'
import { headerHash } from '../../../chain/block/header.ts'
import { type Receipt, receiptsRoot } from '../../../chain/block/receipt.ts'
import { blobGasPrice } from '../../../chain/config/chainConfig.ts'
import { receiptFromJson } from '../../../chain/json/parseReceipt.ts'
import { encodeBlockRows } from '../../../store/blockRows.ts'
import { StoreError } from '../../../store/meta.ts'
import type { NativeRows } from '../../../store/nativeRows.ts'
import type { ChainInfo } from '../../families/chainInfo.ts'
import type { BlockWrite } from '../../follow/blockWriter.ts'
import { parseNativeBlockInfo, type StoredNativeBlockInfo } from '../../follow/nativeBlockInfo.ts'
import { isCosmosTransaction } from '../../nativeView/syntheticTransactions.ts'
import type { ExportedBlock } from './exportBlocks.ts'

/** What a block has to follow. */
export interface ExpectedBlock {
  readonly number: number
  /** The hash of the block before it; undefined if none is known. */
  readonly parentHash: Uint8Array | undefined
  /** Whether its hash is that of its header, and not one of the native block. */
  readonly hasOwnHash: boolean
}

const fromText = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

/** Throws if a block is not what its header says, or does not follow the one before it. */
const verify = (
  { header, ...body }: Block,
  receipts: readonly Receipt[],
  hash: Uint8Array,
  { number, parentHash, hasOwnHash }: ExpectedBlock,
): void => {
  const fail = (what: string): never => {
    throw new StoreError(`block ${number} of the replica cannot be taken: ${what}`)
  }
  if (header.number !== BigInt(number)) fail(`its header says ${header.number}`)
  if (parentHash && !equalBytes(header.parentHash, parentHash)) fail('its parent is not the block before it')
  if (hasOwnHash && !equalBytes(headerHash(header), hash)) fail('its header does not have its hash')
  if (receipts.length !== body.transactions.length) fail('it does not have a receipt for each transaction')
  for (const [name, root] of Object.entries(bodyRoots(body)))
    if (root && !equalBytes(root, header[name as 'transactionsRoot'])) fail(`its ${name} is wrong`)
  if (!equalBytes(receiptsRoot(receipts), header.receiptsRoot)) fail('its receiptsRoot is wrong')
  if (!equalBytes(mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)), header.logsBloom))
    fail('its logsBloom is wrong')
}

const importNative = (
  native: NonNullable<ExportedBlock['native']>,
): { readonly rows: NativeRows; readonly info: StoredNativeBlockInfo } => {
  const hash = fromText(native.hash)
  const transactions = native.transactions.map(fromText)
  const bytes = Buffer.from(native.info)
  const info = parseNativeBlockInfo({ hash, transactions, info: bytes })
  return {
    info,
    rows: {
      hash,
      transactions: info.transactions.map((transaction) => ({
        hash: transaction.hash,
        hasFailed: transaction.code !== 0,
        isCosmos: isCosmosTransaction(transaction),
      })),
      info: bytes,
    },
  }
}

/** Checks a block of another replica and encodes it for the store. Throws a `StoreError`. */
export const importBlock = (
  exported: ExportedBlock,
  expected: ExpectedBlock,
  { config }: ChainInfo,
): BlockWrite => {
  const hash = fromText(exported.hash)
  const block = decodeBlock(fromText(exported.block))
  const { header, ommers, withdrawals } = block
  const list = JSON.parse(exported.receipts) as Parameters<typeof receiptFromJson>[0][] // the roots check them
  const receipts = list.map(receiptFromJson)
  verify(block, receipts, hash, expected)
  const transactions = block.transactions.map(({ transaction, raw }, index) => ({
    transaction,
    raw,
    hash: keccak256(raw),
    sender: fromText(exported.senders[index] ?? ''),
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
  const native = exported.native && importNative(exported.native)
  return {
    rows: native === undefined ? rows : { ...rows, native: native.rows },
    number: expected.number,
    time: Number(header.timestamp),
    nativeHash: native?.rows.hash ?? new Uint8Array(),
    resultsHash: native?.info.resultsHash ?? new Uint8Array(),
    appHash: native?.info.appHash,
    node: undefined,
  }
}
