import { toBigInt } from '../../base/encoding/bytes.ts'
import { decodeRlp, RlpError, type RlpItem } from '../../base/encoding/rlp.ts'
import {
  type AccessListEntry,
  type Authorization,
  type Transaction,
  TransactionError,
  type TransactionSignature,
  type TransactionType,
} from './transaction.ts'

const malformed = (message: string): TransactionError => new TransactionError('encoding', message)

const bytesOf = (item: RlpItem | undefined, name: string): Uint8Array => {
  if (!(item instanceof Uint8Array)) throw malformed(`${name} is not a string`)
  return item
}

const listOf = (item: RlpItem | undefined, name: string): readonly RlpItem[] => {
  if (item === undefined || item instanceof Uint8Array) throw malformed(`${name} is not a list`)
  return item
}

const fixed = (item: RlpItem | undefined, name: string, length: number): Uint8Array => {
  const bytes = bytesOf(item, name)
  if (bytes.length !== length) throw malformed(`${name} has ${bytes.length} bytes instead of ${length}`)
  return bytes
}

const integer = (item: RlpItem | undefined, name: string, maxLength: number): bigint => {
  const bytes = bytesOf(item, name)
  if (bytes.length > maxLength) throw malformed(`${name} is over ${maxLength * 8} bits`)
  if (bytes[0] === 0) throw malformed(`${name} has leading zeros`)
  return toBigInt(bytes)
}

const word = (item: RlpItem | undefined, name: string): bigint => integer(item, name, 32)

const destination = (item: RlpItem | undefined): Uint8Array | undefined => {
  const bytes = bytesOf(item, 'to')
  return bytes.length === 0 ? undefined : fixed(bytes, 'to', 20)
}

const accessList = (item: RlpItem | undefined): AccessListEntry[] =>
  listOf(item, 'accessList').map((entry) => {
    const fields = listOf(entry, 'accessList entry')
    if (fields.length !== 2) throw malformed('accessList entry has not 2 fields')
    return {
      address: fixed(fields[0], 'accessList address', 20),
      storageKeys: listOf(fields[1], 'storageKeys').map((key) => fixed(key, 'storageKey', 32)),
    }
  })

const authorizations = (item: RlpItem | undefined): Authorization[] =>
  listOf(item, 'authorizationList').map((entry) => {
    const fields = listOf(entry, 'authorization')
    if (fields.length !== 6) throw malformed('authorization has not 6 fields')
    return {
      chainId: word(fields[0], 'authorization chainId'),
      address: fixed(fields[1], 'authorization address', 20),
      nonce: integer(fields[2], 'authorization nonce', 8),
      yParity: Number(integer(fields[3], 'authorization yParity', 1)),
      r: word(fields[4], 'authorization r'),
      s: word(fields[5], 'authorization s'),
    }
  })

const signature = (fields: readonly RlpItem[], at: number): TransactionSignature => {
  const yParity = word(fields[at], 'yParity')
  if (yParity > 1n) throw new TransactionError('signature', 'yParity is neither 0 nor 1')
  return { yParity: Number(yParity), r: word(fields[at + 1], 'r'), s: word(fields[at + 2], 's') }
}

const decodeLegacy = (fields: readonly RlpItem[]): Transaction => {
  const v = word(fields[6], 'v')
  if (v !== 27n && v !== 28n && v < 35n) throw new TransactionError('signature', `v is ${v}`)
  const isProtected = v >= 35n
  return {
    type: 0,
    chainId: isProtected ? (v - 35n) / 2n : undefined,
    nonce: integer(fields[0], 'nonce', 8),
    gasPrice: word(fields[1], 'gasPrice'),
    gasLimit: integer(fields[2], 'gasLimit', 8),
    to: destination(fields[3]),
    value: word(fields[4], 'value'),
    data: bytesOf(fields[5], 'data'),
    signature: {
      yParity: Number(isProtected ? (v - 35n) % 2n : v - 27n),
      r: word(fields[7], 'r'),
      s: word(fields[8], 's'),
    },
  }
}

const decodeAccessList = (fields: readonly RlpItem[]): Transaction => ({
  type: 1,
  chainId: word(fields[0], 'chainId'),
  nonce: integer(fields[1], 'nonce', 8),
  gasPrice: word(fields[2], 'gasPrice'),
  gasLimit: integer(fields[3], 'gasLimit', 8),
  to: destination(fields[4]),
  value: word(fields[5], 'value'),
  data: bytesOf(fields[6], 'data'),
  accessList: accessList(fields[7]),
  signature: signature(fields, 8),
})

const feeMarket = (fields: readonly RlpItem[]) => ({
  chainId: word(fields[0], 'chainId'),
  nonce: integer(fields[1], 'nonce', 8),
  maxPriorityFeePerGas: word(fields[2], 'maxPriorityFeePerGas'),
  maxFeePerGas: word(fields[3], 'maxFeePerGas'),
  gasLimit: integer(fields[4], 'gasLimit', 8),
  to: destination(fields[5]),
  value: word(fields[6], 'value'),
  data: bytesOf(fields[7], 'data'),
  accessList: accessList(fields[8]),
})

const decodeDynamicFee = (fields: readonly RlpItem[]): Transaction => ({
  type: 2,
  ...feeMarket(fields),
  signature: signature(fields, 9),
})

const decodeBlob = (fields: readonly RlpItem[]): Transaction => ({
  type: 3,
  ...feeMarket(fields),
  maxFeePerBlobGas: word(fields[9], 'maxFeePerBlobGas'),
  blobVersionedHashes: listOf(fields[10], 'blobVersionedHashes').map((hash) =>
    fixed(hash, 'blobVersionedHash', 32),
  ),
  signature: signature(fields, 11),
})

const decodeSetCode = (fields: readonly RlpItem[]): Transaction => ({
  type: 4,
  ...feeMarket(fields),
  authorizations: authorizations(fields[9]),
  signature: signature(fields, 10),
})

interface Shape {
  readonly fields: number
  readonly decode: (fields: readonly RlpItem[]) => Transaction
}

const shapes: Readonly<Record<TransactionType, Shape>> = {
  0: { fields: 9, decode: decodeLegacy },
  1: { fields: 11, decode: decodeAccessList },
  2: { fields: 12, decode: decodeDynamicFee },
  3: { fields: 14, decode: decodeBlob },
  4: { fields: 13, decode: decodeSetCode },
}

/** Decodes the signed fields of a transaction of a known type. */
export const decodePayload = (type: TransactionType, body: RlpItem): Transaction => {
  const fields = listOf(body, 'transaction')
  const shape = shapes[type]
  if (fields.length !== shape.fields)
    throw malformed(`type ${type} has ${shape.fields} fields, not ${fields.length}`)
  return shape.decode(fields)
}

interface Envelope {
  readonly type: TransactionType
  readonly payload: RlpItem
}

const isTransactionType = (type: number): type is TransactionType => type in shapes

/**
 * Splits a transaction into type and payload (EIP-2718): a first byte below 0x80 is the type, one of 0xc0 and
 * above begins a legacy transaction's list.
 */
export const decodeEnvelope = (bytes: Uint8Array): Envelope => {
  const first = bytes[0]
  if (first === undefined) throw malformed('no transaction')
  const isLegacy = first >= 0xc0
  if (!isLegacy && (first === 0 || !isTransactionType(first)))
    throw new TransactionError('type', `transaction type ${first} is not known`)
  try {
    return isLegacy
      ? { type: 0, payload: decodeRlp(bytes) }
      : { type: first as TransactionType, payload: decodeRlp(bytes.subarray(1)) } // checked just above
  } catch (error) {
    if (error instanceof RlpError) throw malformed(error.message)
    throw error
  }
}

/**
 * Decodes the canonical form, as in a block; its byte fields are views into `bytes`. Throws a
 * TransactionError.
 */
export const decodeTransaction = (bytes: Uint8Array): Transaction => {
  const { type, payload } = decodeEnvelope(bytes)
  return decodePayload(type, payload)
}
