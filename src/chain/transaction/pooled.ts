import { createHash } from 'node:crypto'
import { equalBytes } from '../../base/bytes.ts'
import { encodeRlp, type RlpItem } from '../../base/rlp.ts'
import { decodeBody, openEnvelope } from './decode.ts'
import { transactionBody, withType } from './encode.ts'
import { type BlobSidecar, type Transaction, TransactionError } from './types.ts'

/**
 * The form in which a pool receives transactions: as in a block, except that blob transactions travel in a wrapper
 * with their blobs (EIP-4844 "Networking", EIP-7594 for wrapper version 1).
 */
export interface PooledTransaction {
  readonly transaction: Transaction
  readonly sidecar: BlobSidecar | undefined
}

const blobLength = 131_072
const pointLength = 48
const cellsPerBlob = 128

const malformed = (message: string): TransactionError => new TransactionError('encoding', message)

const strings = (item: RlpItem | undefined, name: string, length: number): readonly Uint8Array[] => {
  if (item === undefined || item instanceof Uint8Array) throw malformed(`${name} is not a list`)
  return item.map((entry) => {
    if (!(entry instanceof Uint8Array) || entry.length !== length)
      throw malformed(`${name} holds something other than ${length} bytes`)
    return entry
  })
}

const decodeSidecar = (fields: readonly RlpItem[]): BlobSidecar => {
  const version = fields.length === 4 ? 0 : 1
  if (version === 1) {
    const marker = fields[1]
    if (!(marker instanceof Uint8Array) || marker.length !== 1 || marker[0] !== 1)
      throw malformed('the wrapper version is not 1')
  }
  const [blobs, commitments, proofs] = fields.slice(fields.length - 3)
  return {
    version,
    blobs: strings(blobs, 'blobs', blobLength),
    commitments: strings(commitments, 'commitments', pointLength),
    proofs: strings(proofs, 'proofs', pointLength),
  }
}

/** Whether the sidecar's counts and commitments are those the transaction names. Proofs are not verified here. */
export const sidecarMatches = (hashes: readonly Uint8Array[], sidecar: BlobSidecar): boolean => {
  const proofs = sidecar.version === 0 ? hashes.length : hashes.length * cellsPerBlob
  if (sidecar.blobs.length !== hashes.length || sidecar.commitments.length !== hashes.length) return false
  if (sidecar.proofs.length !== proofs) return false
  return sidecar.commitments.every((commitment, index) =>
    equalBytes(versionedHash(commitment), hashes[index] as Uint8Array),
  )
}

/** EIP-4844: 0x01 and the last 31 bytes of the commitment's SHA-256. */
export const versionedHash = (commitment: Uint8Array): Uint8Array => {
  const hash = new Uint8Array(createHash('sha256').update(commitment).digest())
  hash[0] = 1
  return hash
}

/** Either form. Throws a TransactionError, also when a sidecar is not the transaction's. */
export const decodePooledTransaction = (bytes: Uint8Array): PooledTransaction => {
  const { type, payload } = openEnvelope(bytes)
  const isWrapped = type === 3 && !(payload instanceof Uint8Array) && Array.isArray(payload[0])
  if (!isWrapped) return { transaction: decodeBody(type, payload), sidecar: undefined }
  if (payload.length !== 4 && payload.length !== 5)
    throw malformed('a blob wrapper has 4 fields, or 5 with its version')
  const transaction = decodeBody(3, payload[0] as RlpItem)
  const sidecar = decodeSidecar(payload)
  if (transaction.type !== 3 || !sidecarMatches(transaction.blobVersionedHashes, sidecar))
    throw new TransactionError('blobs', 'the sidecar is not that of the transaction')
  return { transaction, sidecar }
}

export const encodePooledTransaction = ({ transaction, sidecar }: PooledTransaction): Uint8Array => {
  const body = transactionBody(transaction)
  if (sidecar === undefined) return withType(transaction.type, encodeRlp(body))
  const { version, blobs, commitments, proofs } = sidecar
  const marker = version === 0 ? [] : [Uint8Array.of(version)]
  return withType(transaction.type, encodeRlp([body, ...marker, blobs, commitments, proofs]))
}
