import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/hex.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { decodePooledTransaction } from '../../chain/transaction/pooled.ts'
import { type Transaction, TransactionError } from '../../chain/transaction/types.ts'
import type { PoolTransaction, Signers, Submission } from '../types.ts'
import { type Refusal, refuse } from './refusals.ts'

const slotBytes = 32 * 1024
export const maxTransactionBytes = 4 * slotBytes
/** geth's limit for a blob transaction with its sidecar. */
export const maxBlobTransactionBytes = 1024 * 1024

type Read =
  | { readonly submission: Submission }
  | { readonly submission?: undefined; readonly refusal: Refusal }

/** Reads the form in which transactions travel between nodes. */
export const readSubmission = (raw: Uint8Array): Read => {
  // Nothing of that size can be taken, so it is not decoded first as geth does.
  if (raw.length > maxBlobTransactionBytes)
    return { refusal: refuse('oversized', raw.length, maxTransactionBytes) }
  // A view of a larger buffer (of a request, of a batch) would keep all of it alive.
  const bytes = raw.length < raw.buffer.byteLength ? new Uint8Array(raw) : raw
  try {
    const { transaction, sidecar } = decodePooledTransaction(bytes)
    const canonical = sidecar === undefined ? bytes : encodeTransaction(transaction)
    const hash = keccak256(canonical)
    const size = bytes.length
    return { submission: { transaction, sidecar, raw: canonical, hash, id: toHex(hash), size } }
  } catch (error) {
    if (error instanceof TransactionError) return { refusal: refusalOf(error) }
    throw error
  }
}

const refusalOf = ({ fault, message }: TransactionError): Refusal => {
  if (fault === 'type') return refuse('typeNotSupported')
  if (fault === 'signature') return refuse('invalidSignature')
  if (fault === 'blobs') return refuse('invalidBlobs', message)
  return refuse('malformed', message)
}

export const feeCapOf = (tx: Transaction): bigint =>
  tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas

export const tipCapOf = (tx: Transaction): bigint =>
  tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxPriorityFeePerGas

const costOf = (tx: Transaction): bigint => {
  const cost = tx.gasLimit * feeCapOf(tx) + tx.value
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
  feeCap: feeCapOf(submission.transaction),
  tipCap: tipCapOf(submission.transaction),
  cost: costOf(submission.transaction),
  slots: Math.ceil(submission.size / slotBytes),
  isLocal,
  arrival,
})

/** What the proposer earns for each gas; negative when the transaction cannot pay the base fee. */
export const effectiveTip = ({ feeCap, tipCap }: PoolTransaction, baseFee: bigint): bigint => {
  const rest = feeCap - baseFee
  return rest < tipCap ? rest : tipCap
}
