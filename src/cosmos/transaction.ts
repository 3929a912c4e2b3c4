import { create } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../base/bytes.ts'
import { decodeTransaction } from '../chain/transaction/decode.ts'
import { type Transaction, TransactionError } from '../chain/transaction/types.ts'
import { codes, type NativeFault } from './codes.ts'
import { ExtensionOptionsEthereumTxSchema, MsgEthereumTxSchema } from './gen/cosmos/evm/vm/v1/tx_pb.ts'
import { AuthInfoSchema } from './gen/cosmos/tx/v1beta1/tx_pb.ts'
import { decodeMessage, decodeTxBody, encodeTx, packAny, typeUrlOf } from './protobuf.ts'

/**
 * Ethereum transactions in the form in which cosmos/evm chains gossip and store them: one message with sender and signed
 * bytes, one extension option, a fee that repeats what the transaction offers, and no signature but the inner one.
 */

/** What the engine's mempool takes (CometBFT's max_tx_bytes); no rule of Ethereum is as wide. */
export const maxNativeBytes = 1_048_576

export interface NativeTransaction {
  readonly transaction: Transaction
  /** The canonical bytes of the Ethereum transaction. */
  readonly raw: Uint8Array
  /** Who the wrapper says sent it: true only where it equals the recovered sender. */
  readonly from: Uint8Array
}

export type Unwrapped =
  | { readonly native: NativeTransaction; readonly fault?: undefined }
  | { readonly fault: NativeFault; readonly native?: undefined }

const ethereumTxUrl = typeUrlOf(MsgEthereumTxSchema)
const extensionUrl = typeUrlOf(ExtensionOptionsEthereumTxSchema)
const extension = packAny(ExtensionOptionsEthereumTxSchema, create(ExtensionOptionsEthereumTxSchema))

/** The most that the gas may cost: the price that is offered, not the one that is paid. */
export const feeOf = (tx: Transaction): bigint =>
  tx.gasLimit * (tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas)

export const wrapTransaction = ({ transaction, raw, from }: NativeTransaction, denom: string): Uint8Array => {
  const amount = feeOf(transaction)
  return encodeTx({
    messages: [packAny(MsgEthereumTxSchema, create(MsgEthereumTxSchema, { from, raw }))],
    extensionOptions: [extension],
    authInfo: create(AuthInfoSchema, {
      fee: {
        amount: amount === 0n ? [] : [{ denom, amount: amount.toString() }],
        gasLimit: transaction.gasLimit,
      },
    }),
  })
}

const refused = (code: NativeFault['code'], message: string): Unwrapped => ({ fault: { code, message } })

/** Takes exactly what `wrapTransaction` writes. Never throws: what is wrong with the bytes is in the answer. */
export const unwrapTransaction = (bytes: Uint8Array, denom: string): Unwrapped => {
  if (bytes.length > maxNativeBytes)
    return refused(codes.tooLarge, `transaction of ${bytes.length} bytes, limit ${maxNativeBytes}`)
  const body = decodeTxBody(bytes)
  if (body === undefined) return refused(codes.malformed, 'tx parse error')
  const [message, ...others] = body.messages
  if (message === undefined || others.length > 0)
    return refused(codes.invalidRequest, `expected 1 message, got ${body.messages.length}`)
  if (message.typeUrl !== ethereumTxUrl)
    return refused(codes.invalidType, `message is not a ${ethereumTxUrl}`)
  if (body.extensionOptions.length !== 1 || body.extensionOptions[0]?.typeUrl !== extensionUrl)
    return refused(codes.invalidRequest, `expected 1 extension option, a ${extensionUrl}`)
  const unwrapped = openMessage(message)
  if (unwrapped.native && !equalBytes(wrapTransaction(unwrapped.native, denom), bytes))
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
