import type { Any } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { TransactionError } from '../../chain/transaction/types.ts'
import { codes, type NativeRejection } from '../codes.ts'
import { MsgEthereumTxSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { decodeMessage, decodeTxBody } from '../protobuf.ts'
import { transactionLimits } from '../wire.ts'
import type { Dialect } from './dialect.ts'
import { messageUrl, type NativeTransaction, optionUrl, wrapTransaction } from './wrap.ts'

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
