import type { Any } from '@bufbuild/protobuf/wkt'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { type Transaction, TransactionError } from '../../chain/transaction/transaction.ts'
import { MsgEthereumTxSchema } from '../gen/ethermint/evm/v1/tx_pb.ts'
import { decodeLargeMessage, decodeTxBody } from '../protobuf.ts'
import { limitsForSize } from '../wire.ts'
import { decodeTxData } from './txData.ts'
import { evmTypeName } from './typeNames.ts'

/** An Ethereum transaction within a native one. */
export interface EthereumMessage {
  /** The index among all messages of the native transaction. */
  readonly messageIndex: number
  readonly transaction: Transaction
  /** The canonical encoding of the transaction. */
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  /** The sender that the message names; undefined if the layout has no such field. */
  readonly from: Uint8Array | undefined
}

export interface UnwrappedTransaction {
  /** The types of all messages, such as `/cosmos.bank.v1beta1.MsgSend`. */
  readonly types: readonly string[]
  readonly ethereum: readonly EthereumMessage[]
  /** The reason why a message with the type of an Ethereum transaction could not be decoded. */
  readonly decodeError: string | undefined
}

const decodeEthereumMessage = (value: Uint8Array, messageIndex: number): EthereumMessage => {
  const message = decodeLargeMessage(MsgEthereumTxSchema, value)
  if (message === undefined) throw new TransactionError('encoding', 'is not a MsgEthereumTx')
  const { data, from, raw } = message
  if (raw.length > 0) {
    if (from.length !== 0 && from.length !== 20)
      throw new TransactionError('encoding', `from has ${from.length} bytes instead of 20`)
    return {
      messageIndex,
      transaction: decodeTransaction(raw),
      raw,
      hash: keccak256(raw),
      from: from.length === 20 ? from : undefined,
    }
  }
  if (data === undefined) throw new TransactionError('encoding', 'has no transaction')
  const transaction = decodeTxData(data)
  const rebuilt = encodeTransaction(transaction)
  // The `hash` and `from` fields of the message are ignored, because blocks hold wrong ones.
  return { messageIndex, transaction, raw: rebuilt, hash: keccak256(rebuilt), from: undefined }
}

const decodeEthereumMessages = (
  messages: readonly Any[],
): Pick<UnwrappedTransaction, 'ethereum' | 'decodeError'> => {
  const ethereum: EthereumMessage[] = []
  for (const [messageIndex, { typeUrl, value }] of messages.entries()) {
    if (evmTypeName(typeUrl) !== 'MsgEthereumTx') continue
    try {
      ethereum.push(decodeEthereumMessage(value, messageIndex))
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error
      return { ethereum, decodeError: `message ${messageIndex}: ${error.message}` }
    }
  }
  return { ethereum, decodeError: undefined }
}

/**
 * Decodes a native transaction; undefined if the bytes are not a transaction of the SDK (a block may hold others, such
 * as vote extensions). Never throws.
 */
export const decodeContents = (bytes: Uint8Array): UnwrappedTransaction | undefined => {
  const body = decodeTxBody(bytes, limitsForSize(bytes.length))
  return (
    body && { types: body.messages.map(({ typeUrl }) => typeUrl), ...decodeEthereumMessages(body.messages) }
  )
}
