import type { Any } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { WireCursor } from '../../base/encoding/protobuf/protoReader.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { TransactionError } from '../../chain/transaction/transaction.ts'
import { codes, type NativeRejection } from '../codes.ts'
import { MsgEthereumTxSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { decodeMessage, decodeTxBody } from '../protobuf.ts'
import { transactionLimits } from '../wire.ts'
import type { Dialect } from './dialect.ts'
import { fields, messageUrl, type NativeTransaction, optionUrl, wrapTransaction } from './wrap.ts'

/** The largest Ethereum transaction that a pool takes, in bytes: geth's limit, here a rule of the chain. */
const maxRawBytes = 131_072
/** The most that a wrapper adds: the sender, two type URLs, the fee and the tags of all. */
const maxWrapperBytes = 512

/**
 * The largest native transaction, in bytes: as large as the pool takes, wrapped. It is a rule of the chain, and the
 * `max_tx_bytes` of its mempools. Larger ones are rejected by their length alone.
 */
export const maxNativeBytes = maxRawBytes + maxWrapperBytes

export type UnwrapResult =
  | { readonly native: NativeTransaction; readonly rejection?: undefined }
  | { readonly rejection: NativeRejection; readonly native?: undefined }

const rejected = (code: NativeRejection['code'], message: string): UnwrapResult => ({
  rejection: { code, message },
})

/**
 * Decodes a native transaction and accepts exactly what `wrapTransaction` writes in a dialect with raw messages: this
 * is the rule for blocks of Perihelion chains. Never throws: the result says what is wrong with the bytes. To read the
 * blocks of any chain, use `decodeContents`.
 */
export const unwrapTransaction = (bytes: Uint8Array, dialect: Dialect): UnwrapResult => {
  if (bytes.length > maxNativeBytes)
    return rejected(codes.tooLarge, `transaction of ${bytes.length} bytes, limit ${maxNativeBytes}`)
  const native = unwrapCanonical(bytes, dialect)
  if (native !== undefined) return { native }
  // Only to say what is wrong.
  const body = decodeTxBody(bytes, transactionLimits)
  if (body === undefined) return rejected(codes.malformed, 'tx parse error')
  const [message, ...others] = body.messages
  if (message === undefined || others.length > 0)
    return rejected(codes.invalidRequest, `expected 1 message, got ${body.messages.length}`)
  const ethereumTxUrl = messageUrl(dialect)
  if (message.typeUrl !== ethereumTxUrl)
    return rejected(codes.invalidType, `message is not a ${ethereumTxUrl}`)
  const extensionUrl = optionUrl(dialect)
  if (body.extensionOptions.length !== 1 || body.extensionOptions[0]?.typeUrl !== extensionUrl)
    return rejected(codes.invalidRequest, `expected 1 extension option, a ${extensionUrl}`)
  const unwrapped = decodeEthereumMessage(message)
  if (unwrapped.native && !equalBytes(wrapTransaction(unwrapped.native, dialect), bytes))
    return rejected(codes.invalidRequest, 'the wrapper is not that of its Ethereum transaction')
  return unwrapped
}

/**
 * Returns what is in a wrapper of the one form that is accepted, without decoding messages that hold it; undefined for
 * every other.
 */
const unwrapCanonical = (bytes: Uint8Array, dialect: Dialect): NativeTransaction | undefined => {
  const found = findMessage(bytes, messageUrl(dialect))
  if (found === undefined) return undefined
  try {
    const native = { transaction: decodeTransaction(found.raw), ...found }
    return equalBytes(wrapTransaction(native, dialect), bytes) ? native : undefined
  } catch (error) {
    if (error instanceof TransactionError) return undefined
    throw error
  }
}

/** Returns the sender and the transaction from where `wrapTransaction` writes them. What is around them is not looked at. */
export const findMessage = (
  bytes: Uint8Array,
  typeUrl: string,
): Pick<NativeTransaction, 'raw' | 'from'> | undefined => {
  const cursor = new WireCursor(bytes)
  const enter = (field: number): number => {
    const tag = cursor.varint(bytes.length)
    const length = cursor.varint(bytes.length)
    return tag === field * 8 + 2 && length <= bytes.length - cursor.at ? length : -1
  }
  if (enter(fields.tx.body) < 0 || enter(fields.body.messages) < 0) return undefined
  if (enter(fields.any.typeUrl) !== typeUrl.length) return undefined
  cursor.at += typeUrl.length
  if (enter(fields.any.value) < 0 || enter(fields.message.from) !== 20) return undefined
  const from = bytes.subarray(cursor.at, cursor.at + 20)
  cursor.at += 20
  const length = enter(fields.message.raw)
  return length < 0 ? undefined : { raw: bytes.subarray(cursor.at, cursor.at + length), from }
}

const decodeEthereumMessage = ({ value }: Any): UnwrapResult => {
  const message = decodeMessage(MsgEthereumTxSchema, value, transactionLimits)
  if (message === undefined) return rejected(codes.malformed, 'tx parse error')
  const { from, raw } = message
  if (from.length !== 20) return rejected(codes.malformed, `from has ${from.length} bytes instead of 20`)
  try {
    return { native: { transaction: decodeTransaction(raw), raw, from } }
  } catch (error) {
    if (error instanceof TransactionError) return rejected(codes.malformed, error.message)
    throw error
  }
}
