import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { blobGasPrice } from '../../chain/fees/blobGas.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { type BlockRows, type ExecutedTransaction, encodeBlockRows } from '../blockRows.ts'
import type { BlockStoreReader, StoredRows } from '../blockStoreReader.ts'
import { decodeFrame } from '../packing/frame.ts'
import { asBuffer } from '../tables/rowKeys.ts'
import { toPlainRows } from './plainRows.ts'

/**
 * Returns the rows of a block that are not what the block would be written as. What the block is, its roots say: header,
 * transactions and receipts are read from the rows and checked by the caller, and everything else follows from them.
 */
export const findDifferingRows = (
  store: BlockStoreReader,
  number: number,
  config: ChainConfig | undefined,
): readonly string[] => {
  const stored = store.rows(number)
  const header = store.header(number)
  const extras = store.extras(number)
  const receipts = store.receipts(number)
  const raw = store.rawTransactions(number)
  const hash = store.blockHashAt(number)
  if (!stored || !header || !extras || !receipts || !raw || !hash) return ['its rows are not complete']
  const transactions = raw.map(
    (bytes, index): ExecutedTransaction => ({
      transaction: decodeTransaction(bytes),
      raw: bytes,
      hash: keccak256(bytes),
      sender: readSender(store, number, index),
      receipt: receipts[index] as ExecutedTransaction['receipt'], // as many as transactions
    }),
  )
  const price = config ? blobGasPrice(config, header) : readBlobGasPrice(store, number)
  const expected = encodeBlockRows({ header, hash, transactions, ...extras, blobGasPrice: price })
  return compare(stored, expected)
}

/** Returns the sender that the JSON of a transaction names; receipts and the index of nonces must agree with it. */
const readSender = (store: BlockStoreReader, number: number, index: number): Uint8Array => {
  const text = store.transactionJson(number, index)
  if (!text) throw new Error(`transaction ${index} is missing`)
  return fromHex((JSON.parse(asBuffer(text).toString()) as { readonly from: string }).from)
}

/** Returns the price of blob gas that the receipts name, for a chain whose rules are not known. */
const readBlobGasPrice = (store: BlockStoreReader, number: number): bigint | undefined => {
  const text = store.receiptsJson(number)
  const receipts = text ? (JSON.parse(asBuffer(text).toString()) as { readonly blobGasPrice?: string }[]) : []
  const [price] = receipts.flatMap(({ blobGasPrice }) => blobGasPrice ?? [])
  return price === undefined ? undefined : BigInt(price)
}

const compare = (stored: StoredRows, expected: BlockRows): string[] => {
  const problems: string[] = []
  // A block that an older program wrote has its rows as that one wrote them.
  const { isPacked } = decodeFrame(asBuffer(stored.frame))
  const rows = isPacked ? expected : { ...expected, ...toPlainRows(expected) }
  for (const name of ['header', 'frame', 'hashes', 'extras'] as const)
    if (!isSame(stored[name], rows[name])) problems.push(`its row in ${name} is not as it was written`)
  for (const name of ['transactions', 'receipts', 'raw'] as const) {
    const isEqual =
      stored[name].length === rows[name].length &&
      stored[name].every((page, index) => isSame(page, rows[name][index]))
    if (!isEqual) problems.push(`its pages in ${name} are not as they were written`)
  }
  return problems
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b)
