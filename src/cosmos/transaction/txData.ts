import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { maxUint256, toBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { encodeInteger, signatureV } from '../../chain/transaction/encode.ts'
import {
  type AccessListEntry,
  type Transaction,
  TransactionError,
  type TransactionSignature,
} from '../../chain/transaction/transaction.ts'
import {
  AccessListTxSchema,
  type AccessTuple,
  DynamicFeeTxSchema,
  LegacyTxSchema,
} from '../gen/ethermint/evm/v1/tx_pb.ts'
import { decodeLargeMessage } from '../protobuf.ts'
import { evmTypeName } from './typeNames.ts'

/** Ethereum transactions field by field, as messages held them up to cosmos/evm 0.3. */

const malformed = (problem: string): TransactionError => new TransactionError('encoding', problem)

/** Parses a decimal number; an empty text is zero. */
const wordOf = (text: string, name: string): bigint => {
  if (text === '') return 0n
  const value = /^[0-9]{1,78}$/.test(text) ? BigInt(text) : undefined
  if (value === undefined || value > maxUint256) throw malformed(`${name} is not a number of 256 bits`)
  return value
}

const fixedOf = (text: string, length: number, name: string): Uint8Array => {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (digits.length !== length * 2 || !/^[0-9a-fA-F]*$/.test(digits))
    throw malformed(`${name} is not hex of ${length} bytes`)
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

const targetOf = (text: string): Uint8Array | undefined => (text === '' ? undefined : fixedOf(text, 20, 'to'))

const accessListOf = (tuples: readonly AccessTuple[]): AccessListEntry[] =>
  tuples.map(({ address, storageKeys }) => ({
    address: fixedOf(address, 20, 'an address of the access list'),
    storageKeys: storageKeys.map((key) => fixedOf(key, 32, 'a storage key of the access list')),
  }))

interface SignatureParts {
  readonly v: Uint8Array
  readonly r: Uint8Array
  readonly s: Uint8Array
}

const parseSignaturePart = (bytes: Uint8Array, name: string): bigint => {
  if (bytes.length > 32) throw malformed(`${name} is over 256 bits`)
  return toBigInt(bytes)
}

const typedSignature = ({ v, r, s }: SignatureParts): TransactionSignature => {
  const yParity = parseSignaturePart(v, 'v')
  if (yParity > 1n) throw new TransactionError('signature', 'v is neither 0 nor 1')
  return { yParity: Number(yParity), r: parseSignaturePart(r, 'r'), s: parseSignaturePart(s, 's') }
}

const legacyOf = (tx: MessageShape<typeof LegacyTxSchema>): Transaction => {
  const v = parseSignaturePart(tx.v, 'v')
  if (v !== 27n && v !== 28n && v < 35n) throw new TransactionError('signature', `v is ${v}`)
  const isProtected = v >= 35n
  return {
    type: 0,
    chainId: isProtected ? (v - 35n) / 2n : undefined,
    nonce: tx.nonce,
    gasPrice: wordOf(tx.gasPrice, 'gas_price'),
    gasLimit: tx.gas,
    to: targetOf(tx.to),
    value: wordOf(tx.value, 'value'),
    data: tx.data,
    signature: {
      yParity: Number(isProtected ? (v - 35n) % 2n : v - 27n),
      r: parseSignaturePart(tx.r, 'r'),
      s: parseSignaturePart(tx.s, 's'),
    },
  }
}

const accessListTxOf = (tx: MessageShape<typeof AccessListTxSchema>): Transaction => ({
  type: 1,
  chainId: wordOf(tx.chainId, 'chain_id'),
  nonce: tx.nonce,
  gasPrice: wordOf(tx.gasPrice, 'gas_price'),
  gasLimit: tx.gas,
  to: targetOf(tx.to),
  value: wordOf(tx.value, 'value'),
  data: tx.data,
  accessList: accessListOf(tx.accesses),
  signature: typedSignature(tx),
})

const dynamicFeeOf = (tx: MessageShape<typeof DynamicFeeTxSchema>): Transaction => ({
  type: 2,
  chainId: wordOf(tx.chainId, 'chain_id'),
  nonce: tx.nonce,
  maxPriorityFeePerGas: wordOf(tx.gasTipCap, 'gas_tip_cap'),
  maxFeePerGas: wordOf(tx.gasFeeCap, 'gas_fee_cap'),
  gasLimit: tx.gas,
  to: targetOf(tx.to),
  value: wordOf(tx.value, 'value'),
  data: tx.data,
  accessList: accessListOf(tx.accesses),
  signature: typedSignature(tx),
})

const decodeAny = <Desc extends DescMessage>(schema: Desc, value: Uint8Array): MessageShape<Desc> => {
  const message = decodeLargeMessage(schema, value)
  if (message === undefined) throw malformed(`is not a ${schema.name}`)
  return message
}

/** Decodes a transaction. Throws a TransactionError. */
export const decodeTxData = ({ typeUrl, value }: Any): Transaction => {
  switch (evmTypeName(typeUrl)) {
    case 'LegacyTx':
      return legacyOf(decodeAny(LegacyTxSchema, value))
    case 'AccessListTx':
      return accessListTxOf(decodeAny(AccessListTxSchema, value))
    case 'DynamicFeeTx':
      return dynamicFeeOf(decodeAny(DynamicFeeTxSchema, value))
    default:
      throw new TransactionError('type', 'transaction type not supported')
  }
}

const toTuples = (accessList: readonly AccessListEntry[]) =>
  accessList.map(({ address, storageKeys }) => ({
    address: toChecksumAddress(address),
    storageKeys: storageKeys.map(toHex),
  }))

/** Encodes a transaction. Throws a TransactionError for a type that these families do not have. */
export const encodeTxData = (tx: Transaction, evmPackage: string): Any => {
  const common = {
    nonce: tx.nonce,
    gas: tx.gasLimit,
    to: tx.to ? toChecksumAddress(tx.to) : '',
    value: tx.value.toString(),
    data: tx.data,
    v: encodeInteger(signatureV(tx, tx.signature)),
    r: encodeInteger(tx.signature.r),
    s: encodeInteger(tx.signature.s),
  }
  const pack = <Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Any =>
    create(AnySchema, { typeUrl: `/${evmPackage}.${schema.name}`, value: toBinary(schema, message) })
  switch (tx.type) {
    case 0:
      return pack(LegacyTxSchema, create(LegacyTxSchema, { ...common, gasPrice: tx.gasPrice.toString() }))
    case 1:
      return pack(
        AccessListTxSchema,
        create(AccessListTxSchema, {
          ...common,
          chainId: tx.chainId.toString(),
          gasPrice: tx.gasPrice.toString(),
          accesses: toTuples(tx.accessList),
        }),
      )
    case 2:
      return pack(
        DynamicFeeTxSchema,
        create(DynamicFeeTxSchema, {
          ...common,
          chainId: tx.chainId.toString(),
          gasTipCap: tx.maxPriorityFeePerGas.toString(),
          gasFeeCap: tx.maxFeePerGas.toString(),
          accesses: toTuples(tx.accessList),
        }),
      )
    default:
      throw new TransactionError('type', 'transaction type not supported')
  }
}
