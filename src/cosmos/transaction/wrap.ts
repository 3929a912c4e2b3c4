import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { noBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/hex.ts'
import type { Transaction } from '../../chain/transaction/types.ts'
import { AuthInfoSchema } from '../gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgEthereumTxSchema } from '../gen/ethermint/evm/v1/tx_pb.ts'
import { encodeTx } from '../protobuf.ts'
import type { Dialect } from './dialect.ts'
import { encodeTxData } from './txData.ts'

/**
 * Ethereum transactions in the form in which chains with an EVM module gossip and store them: one message, one extension
 * option, a fee that repeats what the transaction offers, and no signature but the inner one.
 */

export interface NativeTransaction {
  readonly transaction: Transaction
  /** The canonical bytes of the Ethereum transaction. */
  readonly raw: Uint8Array
  /** Who the wrapper says sent it: true only where it equals the recovered sender. */
  readonly from: Uint8Array
}

/** The most that the gas may cost: the price that is offered, not the one that is paid. */
export const feeOf = (tx: Transaction): bigint =>
  tx.gasLimit * (tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas)

/** Returns the type of the message that holds an Ethereum transaction. */
export const messageUrl = ({ evmPackage }: Dialect): string => `/${evmPackage}.MsgEthereumTx`

/** Returns the type of the extension option that marks a transaction as an Ethereum one. */
export const optionUrl = ({ evmPackage }: Dialect): string => `/${evmPackage}.ExtensionOptionsEthereumTx`

/** Ethermint's message has the fields of all layouts, and those of cosmos/evm have the same numbers there. */
const messageFields = (
  { transaction, raw, from }: NativeTransaction,
  { messageLayout, evmPackage }: Dialect,
): MessageInitShape<typeof MsgEthereumTxSchema> =>
  messageLayout === 'raw'
    ? { from, raw }
    : // A sender is refused in this layout, as is another hash than the transaction's.
      { data: encodeTxData(transaction, evmPackage), hash: toHex(keccak256(raw)) }

/**
 * Returns the transaction as a message of the EVM module, by itself. Throws a TransactionError for a type that the layout
 * has no fields for.
 */
export const encodeMessage = (native: NativeTransaction, dialect: Dialect): Uint8Array =>
  toBinary(MsgEthereumTxSchema, create(MsgEthereumTxSchema, messageFields(native, dialect)))

const packed = (typeUrl: string, value: Uint8Array): Any => create(AnySchema, { typeUrl, value })

/**
 * Returns the bytes that a chain's mempool and blocks hold for an Ethereum transaction, the same on every node. Throws as
 * `encodeMessage` does.
 */
export const wrapTransaction = (native: NativeTransaction, dialect: Dialect): Uint8Array => {
  const amount = feeOf(native.transaction)
  return encodeTx({
    messages: [packed(messageUrl(dialect), encodeMessage(native, dialect))],
    extensionOptions: [packed(optionUrl(dialect), noBytes)],
    authInfo: create(AuthInfoSchema, {
      fee: {
        amount: amount === 0n ? [] : [{ denom: dialect.feeDenom, amount: amount.toString() }],
        gasLimit: native.transaction.gasLimit,
      },
    }),
  })
}
