import type { Any } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../../base/bytes.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { TransactionError } from '../../chain/transaction/types.ts'
import { codes, type NativeFault } from '../codes.ts'
import { MsgEthereumTxSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { decodeMessage, decodeTxBody } from '../protobuf.ts'
import type { Dialect } from './dialect.ts'
import { messageUrl, type NativeTransaction, optionUrl, wrapTransaction } from './wrap.ts'

/** What the engine's mempool takes (CometBFT's max_tx_bytes); no rule of Ethereum is as wide. */
export const maxNativeBytes = 1_048_576

export type Unwrapped =
  | { readonly native: NativeTransaction; readonly fault?: undefined }
  | { readonly fault: NativeFault; readonly native?: undefined }

const refused = (code: NativeFault['code'], message: string): Unwrapped => ({ fault: { code, message } })

/**
 * Takes exactly what `wrapTransaction` writes in a dialect with raw messages: the rule for blocks of this project's application. Never throws:
 * what is wrong with the bytes is in the answer. `decodeContents` reads whatever blocks of any chain hold.
 */
export const unwrapTransaction = (bytes: Uint8Array, dialect: Dialect): Unwrapped => {
  if (bytes.length > maxNativeBytes)
    return refused(codes.tooLarge, `transaction of ${bytes.length} bytes, limit ${maxNativeBytes}`)
  const body = decodeTxBody(bytes)
  if (body === undefined) return refused(codes.malformed, 'tx parse error')
  const [message, ...others] = body.messages
  if (message === undefined || others.length > 0)
    return refused(codes.invalidRequest, `expected 1 message, got ${body.messages.length}`)
  const ethereumTxUrl = messageUrl(dialect)
  if (message.typeUrl !== ethereumTxUrl)
    return refused(codes.invalidType, `message is not a ${ethereumTxUrl}`)
  const extensionUrl = optionUrl(dialect)
  if (body.extensionOptions.length !== 1 || body.extensionOptions[0]?.typeUrl !== extensionUrl)
    return refused(codes.invalidRequest, `expected 1 extension option, a ${extensionUrl}`)
  const unwrapped = openMessage(message)
  if (unwrapped.native && !equalBytes(wrapTransaction(unwrapped.native, dialect), bytes))
    return refused(codes.invalidRequest, 'the wrapper is not that of its Ethereum transaction')
  return unwrapped
}

const openMessage = ({ value }: Any): Unwrapped => {
  const message = decodeMessage(MsgEthereumTxSchema, value)
  if (message === undefined) return refused(codes.malformed, 'tx parse error')
  const { from, raw } = message
  if (from.length !== 20) return refused(codes.malformed, `from has ${from.length} bytes instead of 20`)
  try {
    return { native: { transaction: decodeTransaction(raw), raw, from } }
  } catch (error) {
    if (error instanceof TransactionError) return refused(codes.malformed, error.message)
    throw error
  }
}
