import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { ProtoWriter } from '../../base/encoding/protobuf/protoWriter.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import { AuthInfoSchema } from '../gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgEthereumTxSchema } from '../gen/ethermint/evm/v1/tx_pb.ts'
import { encodeTx } from '../protobuf.ts'
import type { Dialect } from './dialect.ts'
import { encodeTxData } from './txData.ts'

/**
 * Ethereum transactions in the form in which chains with an EVM module gossip and store them: one message, one
 * extension option, a fee that repeats the offer of the transaction, and no signature beside that of the Ethereum
 * transaction.
 */

export interface NativeTransaction {
  readonly transaction: Transaction
  /** The canonical encoding of the Ethereum transaction. */
  readonly raw: Uint8Array
  /** The sender that the wrapper names. It is only valid if it equals the recovered sender. */
  readonly from: Uint8Array
}

/** Returns the most that the gas of a transaction may cost: at the offered price, not at the effective one. */
export const maxFee = (tx: Transaction): bigint =>
  tx.gasLimit * (tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas)

/** Returns the type URL of the message that holds an Ethereum transaction. */
export const messageUrl = ({ evmPackage }: Dialect): string => `/${evmPackage}.MsgEthereumTx`

/** Returns the type URL of the extension option that marks a transaction as an Ethereum one. */
export const optionUrl = ({ evmPackage }: Dialect): string => `/${evmPackage}.ExtensionOptionsEthereumTx`

/**
 * Returns the fields of the message. Ethermint's message has the fields of all layouts; in cosmos/evm they have the
 * same numbers.
 */
const messageFields = (
  { transaction, raw, from }: NativeTransaction,
  { messageLayout, evmPackage }: Dialect,
): MessageInitShape<typeof MsgEthereumTxSchema> =>
  messageLayout === 'raw'
    ? { from, raw }
    : // This layout rejects a sender, and a hash other than the transaction's.
      { data: encodeTxData(transaction, evmPackage), hash: toHex(keccak256(raw)) }

/**
 * Encodes the transaction as a message of the EVM module, without the wrapper. Throws a TransactionError for a type
 * that the layout has no fields for.
 */
export const encodeMessage = (native: NativeTransaction, dialect: Dialect): Uint8Array =>
  toBinary(MsgEthereumTxSchema, create(MsgEthereumTxSchema, messageFields(native, dialect)))

const packed = (typeUrl: string, value: Uint8Array): Any => create(AnySchema, { typeUrl, value })

/**
 * Encodes an Ethereum transaction as the mempool and the blocks of a chain hold it; the bytes are the same on every
 * node. Throws as `encodeMessage` does.
 */
export const wrapTransaction = (native: NativeTransaction, dialect: Dialect): Uint8Array =>
  dialect.messageLayout === 'raw' ? wrapRaw(native, dialect) : wrapFields(native, dialect)

const writer = new ProtoWriter()

/** Writes the wrapper directly: a node wraps or compares each transaction several times on its way into a block. */
const wrapRaw = ({ transaction, raw, from }: NativeTransaction, dialect: Dialect): Uint8Array => {
  const amount = maxFee(transaction)
  return writer.write((to) => {
    to.begin(fields.tx.body)
    to.begin(fields.body.messages)
    to.text(fields.any.typeUrl, messageUrl(dialect))
    to.begin(fields.any.value)
    to.bytes(fields.message.from, from)
    to.bytes(fields.message.raw, raw)
    to.end()
    to.end()
    to.begin(fields.body.extensionOptions)
    to.text(fields.any.typeUrl, optionUrl(dialect))
    to.end()
    to.end()
    to.begin(fields.tx.authInfo)
    to.begin(fields.authInfo.fee)
    if (amount > 0n) {
      to.begin(fields.fee.amount)
      to.text(fields.coin.denom, dialect.feeDenom)
      to.text(fields.coin.amount, amount.toString())
      to.end()
    }
    to.integer(fields.fee.gasLimit, transaction.gasLimit)
    to.end()
    to.end()
  })
}

/** The numbers of the fields of a wrapper. */
export const fields = {
  tx: { body: 1, authInfo: 2 },
  body: { messages: 1, extensionOptions: 1023 },
  any: { typeUrl: 1, value: 2 },
  message: { from: 5, raw: 6 },
  authInfo: { fee: 2 },
  fee: { amount: 1, gasLimit: 2 },
  coin: { denom: 1, amount: 2 },
} as const

const wrapFields = (native: NativeTransaction, dialect: Dialect): Uint8Array => {
  const amount = maxFee(native.transaction)
  return encodeTx({
    messages: [packed(messageUrl(dialect), encodeMessage(native, dialect))],
    extensionOptions: [packed(optionUrl(dialect), emptyBytes)],
    authInfo: create(AuthInfoSchema, {
      fee: {
        amount: amount === 0n ? [] : [{ denom: dialect.feeDenom, amount: amount.toString() }],
        gasLimit: native.transaction.gasLimit,
      },
    }),
  })
}
