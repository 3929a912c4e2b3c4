import { keccak256 } from '../../base/crypto/crypto.ts'
import {
  decodeRlp,
  encodedLength,
  encodeRlp,
  encodeRlpList,
  headerLength,
  RlpError,
  type RlpItem,
  stringLength,
} from '../../base/encoding/rlp.ts'
import { decodeTransaction } from '../transaction/decode.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { encodeHeader, type Header, headerFields, headerFromFields } from './header.ts'
import { RlpListReader } from './rlpListReader.ts'
import { listRoot } from './trieRoot.ts'
import { type Withdrawal, withdrawalFields, withdrawalFromFields, withdrawalsRoot } from './withdrawal.ts'

/**
 * A transaction of a block with its canonical bytes, over which its hash and the block's root are computed.
 */
export interface BlockTransaction {
  readonly transaction: Transaction
  readonly raw: Uint8Array
}

export interface Block {
  readonly header: Header
  readonly transactions: readonly BlockTransaction[]
  readonly ommers: readonly Header[]
  /** Undefined before Shanghai. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/** The parts of a block's encoding; those that are encoded already are used as they are. */
export interface EncodedBlockParts {
  readonly headerRlp: Uint8Array
  readonly rawTransactions: readonly Uint8Array[]
  readonly ommers: readonly Header[]
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/**
 * Returns the item of a transaction in the block's list: a legacy transaction is a list, any other a string.
 */
const transactionItem = (raw: Uint8Array): Uint8Array => ((raw[0] ?? 0) >= 0xc0 ? raw : encodeRlp(raw))

const encodeOmmers = (ommers: readonly Header[]): Uint8Array => encodeRlp(ommers.map(headerFields))

export const assembleBlock = ({
  headerRlp,
  rawTransactions,
  ommers,
  withdrawals,
}: EncodedBlockParts): Uint8Array =>
  encodeRlpList([
    headerRlp,
    encodeRlpList(rawTransactions.map(transactionItem)),
    encodeOmmers(ommers),
    ...(withdrawals ? [encodeRlp(withdrawals.map(withdrawalFields))] : []),
  ])

const framed = (payload: number): number => headerLength(payload) + payload

/** Returns the length of what `assembleBlock` returns. */
export const assembledLength = ({
  headerRlp,
  rawTransactions,
  ommers,
  withdrawals,
}: EncodedBlockParts): number => {
  let items = 0
  for (const raw of rawTransactions) items += (raw[0] ?? 0) >= 0xc0 ? raw.length : stringLength(raw)
  return framed(
    headerRlp.length +
      framed(items) +
      encodedLength(ommers.map(headerFields)) +
      (withdrawals ? encodedLength(withdrawals.map(withdrawalFields)) : 0),
  )
}

export const encodeBlock = (block: Block): Uint8Array =>
  assembleBlock({
    headerRlp: encodeHeader(block.header),
    rawTransactions: block.transactions.map(({ raw }) => raw),
    ommers: block.ommers,
    withdrawals: block.withdrawals,
  })

const decodeBlockTransaction = (item: RlpItem): BlockTransaction => {
  const isList = !(item instanceof Uint8Array)
  if (!isList && (item[0] ?? 0) >= 0xc0) throw new RlpError('a legacy transaction is a list, not a string')
  const raw = isList ? encodeRlp(item) : item
  return { transaction: decodeTransaction(raw), raw }
}

/** Decodes a block. Throws an RlpError, or a TransactionError for an invalid transaction. */
export const decodeBlock = (bytes: Uint8Array): Block => {
  const fields = new RlpListReader(decodeRlp(bytes), 'block')
  const block = {
    header: headerFromFields(fields.list('header')),
    transactions: fields.list('transactions').map(decodeBlockTransaction),
    ommers: fields.list('ommers').map(headerFromFields),
    withdrawals: fields.count > 3 ? fields.list('withdrawals').map(withdrawalFromFields) : undefined,
  }
  fields.end()
  return block
}

export const ommersHash = (ommers: readonly Header[]): Uint8Array => keccak256(encodeOmmers(ommers))

/** Returns the header fields that follow from the block's body. */
export const bodyRoots = (
  body: Omit<Block, 'header'>,
): Required<Pick<Header, 'ommersHash' | 'transactionsRoot' | 'withdrawalsRoot'>> => ({
  ommersHash: ommersHash(body.ommers),
  transactionsRoot: listRoot(body.transactions.map(({ raw }) => raw)),
  withdrawalsRoot: body.withdrawals && withdrawalsRoot(body.withdrawals),
})
