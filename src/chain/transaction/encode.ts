import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, emptyBytes } from '../../base/encoding/bytes.ts'
import { decodeHex } from '../../base/encoding/hex.ts'
import { encodeRlp, type RlpInput } from '../../base/encoding/rlp.ts'
import type {
  AccessListEntry,
  Authorization,
  Transaction,
  TransactionSignature,
  UnsignedTransaction,
} from './transaction.ts'

/** Returns the shortest big-endian form; zero has none. */
export const encodeInteger = (value: bigint): Uint8Array => {
  if (value === 0n) return emptyBytes
  const digits = value.toString(16)
  return decodeHex(digits.length & 1 ? `0${digits}` : digits)
}

const encodeAccessList = (entries: readonly AccessListEntry[]): RlpInput =>
  entries.map(({ address, storageKeys }) => [address, storageKeys])

const encodeAuthorizations = (authorizations: readonly Authorization[]): RlpInput =>
  authorizations.map(({ chainId, address, nonce, yParity, r, s }) => [
    encodeInteger(chainId),
    address,
    encodeInteger(nonce),
    encodeInteger(BigInt(yParity)),
    encodeInteger(r),
    encodeInteger(s),
  ])

/** Returns the fields in the order of the wire, without signature (and, for legacy, without chain id). */
const encodeFields = (tx: UnsignedTransaction): RlpInput[] => {
  const target = tx.to ?? emptyBytes
  const common = [encodeInteger(tx.gasLimit), target, encodeInteger(tx.value), tx.data]
  if (tx.type === 0) return [encodeInteger(tx.nonce), encodeInteger(tx.gasPrice), ...common]
  const head = [encodeInteger(tx.chainId), encodeInteger(tx.nonce)]
  const accessList = encodeAccessList(tx.accessList)
  if (tx.type === 1) return [...head, encodeInteger(tx.gasPrice), ...common, accessList]
  const fees = [encodeInteger(tx.maxPriorityFeePerGas), encodeInteger(tx.maxFeePerGas)]
  const fields = [...head, ...fees, ...common, accessList]
  switch (tx.type) {
    case 2:
      return fields
    case 3:
      return [...fields, encodeInteger(tx.maxFeePerBlobGas), tx.blobVersionedHashes]
    case 4:
      return [...fields, encodeAuthorizations(tx.authorizations)]
  }
}

export const signatureV = (tx: UnsignedTransaction, { yParity, r, s }: TransactionSignature): bigint => {
  const parity = BigInt(yParity)
  if (tx.type !== 0) return parity
  if (tx.chainId !== undefined) return tx.chainId * 2n + 35n + parity
  // Simulated transactions are neither signed nor bound to a chain.
  return r === 0n && s === 0n ? 0n : 27n + parity
}

/**
 * Returns the signed fields as RLP items: a whole legacy transaction, or the part after the type byte of
 * others.
 */
export const toPayloadFields = (tx: Transaction): RlpInput[] => {
  const { r, s } = tx.signature
  return [
    ...encodeFields(tx),
    encodeInteger(signatureV(tx, tx.signature)),
    encodeInteger(r),
    encodeInteger(s),
  ]
}

/** Prepends the type to the payload (EIP-2718); a legacy transaction is the payload alone. */
export const withType = (type: number, payload: Uint8Array): Uint8Array =>
  type === 0 ? payload : concatBytes(Uint8Array.of(type), payload)

export const encodeTransaction = (tx: Transaction): Uint8Array =>
  withType(tx.type, encodeRlp(toPayloadFields(tx)))

export const transactionHash = (tx: Transaction): Uint8Array => keccak256(encodeTransaction(tx))

/** Returns the hash that the sender signs. */
export const signingHash = (tx: UnsignedTransaction): Uint8Array => {
  const fields = encodeFields(tx)
  // EIP-155 appends the chain id and two zeros.
  if (tx.type === 0 && tx.chainId !== undefined)
    fields.push(encodeInteger(tx.chainId), emptyBytes, emptyBytes)
  return keccak256(withType(tx.type, encodeRlp(fields)))
}
