import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/hex.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { type Transaction, TransactionError } from '../../chain/transaction/types.ts'
import { AuthInfoSchema } from '../../cosmos/gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgEthereumTxSchema } from '../../cosmos/gen/ethermint/evm/v1/tx_pb.ts'
import { encodeTx } from '../../cosmos/protobuf.ts'
import { feeOf } from '../../cosmos/transaction.ts'
import type { ChainFacts, Family } from '../facts.ts'
import { encodeTxData } from './txData.ts'
import { unwrapTransaction } from './unwrap.ts'

/** Families whose messages hold a transaction in parts. */
const inParts: ReadonlySet<Family> = new Set(['ethermint', 'cosmos-evm-0.1'])

type MessageFields = MessageInitShape<typeof MsgEthereumTxSchema>

const messageOf = (
  transaction: Transaction,
  raw: Uint8Array,
  sender: Uint8Array,
  { family, evmPackage }: WrapFacts,
): MessageFields =>
  inParts.has(family)
    ? // A sender there is refused, as is another hash than the transaction's.
      { data: encodeTxData(transaction, evmPackage), hash: toHex(keccak256(raw)) }
    : { from: sender, raw }

const packed = (typeUrl: string, value: Uint8Array): Any => create(AnySchema, { typeUrl, value })

type WrapFacts = Pick<ChainFacts, 'family' | 'evmPackage' | 'feeDenom'>

/** A signed transaction as a message of the EVM module, by itself. */
export const encodeMessage = (raw: Uint8Array, sender: Uint8Array, facts: WrapFacts): Uint8Array =>
  toBinary(
    MsgEthereumTxSchema,
    create(MsgEthereumTxSchema, messageOf(decodeTransaction(raw), raw, sender, facts)),
  )

/**
 * A signed Ethereum transaction as the chain's mempool takes it, byte by byte as its own node would write it. Throws a
 * TransactionError for what is no transaction, or of a type that the family does not have.
 */
export const wrapTransaction = (raw: Uint8Array, sender: Uint8Array, facts: WrapFacts): Uint8Array => {
  const transaction = decodeTransaction(raw)
  if (transaction.type === 3) throw new TransactionError('type', 'transaction type not supported')
  const amount = feeOf(transaction)
  const message = create(MsgEthereumTxSchema, messageOf(transaction, raw, sender, facts))
  const bytes = encodeTx({
    messages: [packed(`/${facts.evmPackage}.MsgEthereumTx`, toBinary(MsgEthereumTxSchema, message))],
    extensionOptions: [packed(`/${facts.evmPackage}.ExtensionOptionsEthereumTx`, new Uint8Array(0))],
    authInfo: create(AuthInfoSchema, {
      fee: {
        amount: amount === 0n ? [] : [{ denom: facts.feeDenom, amount: amount.toString() }],
        gasLimit: transaction.gasLimit,
      },
    }),
  })
  checkWrapped(bytes, raw)
  return bytes
}

/** Bytes that a node cannot read may never be answered (cosmos/evm 0.7): what is sent is read here first. */
const checkWrapped = (bytes: Uint8Array, raw: Uint8Array): void => {
  const [message] = unwrapTransaction(bytes)?.ethereum ?? []
  if (message === undefined || !equalBytes(message.raw, raw))
    throw new TransactionError('encoding', 'the transaction does not survive its wrapping')
}
