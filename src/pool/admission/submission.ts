import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { impersonatedSender } from '../../chain/transaction/impersonation.ts'
import { decodePooledTransaction } from '../../chain/transaction/pooled.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'
import { type Transaction, TransactionError } from '../../chain/transaction/transaction.ts'
import type { PoolTransaction, Signers, Submission } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

const slotBytes = 32 * 1024
export const maxTransactionBytes = 4 * slotBytes
/** geth's limit for a blob transaction with its sidecar. */
export const maxBlobTransactionBytes = 1024 * 1024

type DecodedSubmission =
  | { readonly submission: Submission }
  | { readonly submission?: undefined; readonly rejection: Rejection }

/** Decodes the form in which transactions travel between nodes. */
export const decodeSubmission = (raw: Uint8Array): DecodedSubmission => {
  // A transaction of that size is always rejected, so it is not decoded first as geth does.
  if (raw.length > maxBlobTransactionBytes)
    return { rejection: reject('oversized', raw.length, maxTransactionBytes) }
  // A view of a larger buffer (of a request, of a batch) would keep all of it alive.
  const bytes = raw.length < raw.buffer.byteLength ? new Uint8Array(raw) : raw
  try {
    const { transaction, sidecar } = decodePooledTransaction(bytes)
    const canonical = sidecar === undefined ? bytes : encodeTransaction(transaction)
    const hash = keccak256(canonical)
    const size = bytes.length
    return { submission: { transaction, sidecar, raw: canonical, hash, id: toHex(hash), size } }
  } catch (error) {
    if (error instanceof TransactionError) return { rejection: toRejection(error) }
    throw error
  }
}

const toRejection = ({ kind, message }: TransactionError): Rejection => {
  if (kind === 'type') return reject('typeNotSupported')
  if (kind === 'signature') return reject('invalidSignature')
  if (kind === 'blobs') return reject('invalidBlobs', message)
  return reject('malformed', message)
}

/** Returns the signers of a transaction that states its sender; undefined for a signed one. */
export const statedSigners = (transaction: Transaction): Signers | undefined => {
  const sender = impersonatedSender(transaction)
  if (sender === undefined) return undefined
  const authorizations = transaction.type === 4 ? transaction.authorizations : []
  return { sender, authorities: authorizations.flatMap((tuple) => recoverAuthority(tuple) ?? []) }
}

export const gasFeeCap = (tx: Transaction): bigint =>
  tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas

export const gasTipCap = (tx: Transaction): bigint =>
  tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxPriorityFeePerGas

const costOf = (tx: Transaction): bigint => {
  const cost = tx.gasLimit * gasFeeCap(tx) + tx.value
  if (tx.type !== 3) return cost
  return cost + BigInt(tx.blobVersionedHashes.length) * gasPerBlob * tx.maxFeePerBlobGas
}

const noAuthorities: readonly string[] = []

export const toPoolTransaction = (
  submission: Submission,
  { sender, authorities }: Signers,
  isLocal: boolean,
  arrival: number,
): PoolTransaction => ({
  transaction: submission.transaction,
  sidecar: submission.sidecar,
  raw: submission.raw,
  hash: submission.hash,
  id: submission.id,
  size: submission.size,
  sender,
  authorities: authorities.length === 0 ? noAuthorities : [...new Set(authorities.map(toHex))],
  feeCap: gasFeeCap(submission.transaction),
  tipCap: gasTipCap(submission.transaction),
  cost: costOf(submission.transaction),
  slots: Math.ceil(submission.size / slotBytes),
  isLocal,
  validUnder: undefined,
  arrival,
})

/** Returns the proposer's income for each gas; negative if the transaction cannot pay the base fee. */
export const effectiveTip = ({ feeCap, tipCap }: PoolTransaction, baseFee: bigint): bigint => {
  const rest = feeCap - baseFee
  return rest < tipCap ? rest : tipCap
}

export const compareNonces = ({ transaction: a }: Submission, { transaction: b }: Submission): number =>
  a.nonce < b.nonce ? -1 : Number(a.nonce > b.nonce)
