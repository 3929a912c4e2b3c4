import { sha256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import { decodeEnvelope, decodePayload } from './decode.ts'
import { toPayloadFields, withType } from './encode.ts'
import { type BlobSidecar, type Transaction, TransactionError } from './transaction.ts'

/**
 * The form in which a pool receives a transaction: as in a block, except that blob transactions travel in a
 * wrapper with their blobs (EIP-4844 "Networking", EIP-7594 for wrapper version 1).
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

/**
 * Returns how the sidecar's counts and commitments differ from those that the transaction names, in geth's
 * words; undefined if they agree. Proofs are not verified here.
 */
export const findSidecarMismatch = (
  hashes: readonly Uint8Array[],
  sidecar: BlobSidecar,
): string | undefined => {
  const { version, blobs, commitments, proofs } = sidecar
  if (commitments.length !== hashes.length)
    return `invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`
  for (const [index, hash] of hashes.entries()) {
    const computed = versionedHash(commitments[index] as Uint8Array)
    if (!equalBytes(computed, hash))
      return `blob ${index}: computed hash ${toHex(computed)} mismatches transaction one ${toHex(hash)}`
  }
  if (blobs.length !== commitments.length)
    return `invalid number of ${blobs.length} blobs compared to ${commitments.length} commitments`
  const expected = version === 0 ? hashes.length : hashes.length * cellsPerBlob
  if (proofs.length !== expected)
    return `Wrong sidecar format: invalid number of ${proofs.length} blob proofs expected ${expected}`
  return undefined
}

/** Returns the versioned hash: 0x01 and the last 31 bytes of the commitment's SHA-256 (EIP-4844). */
export const versionedHash = (commitment: Uint8Array): Uint8Array => {
  const hash = new Uint8Array(sha256(commitment))
  hash[0] = 1
  return hash
}

/**
 * Decodes a transaction in either form. Throws a TransactionError, also if the sidecar does not match the
 * transaction.
 */
export const decodePooledTransaction = (bytes: Uint8Array): PooledTransaction => {
  const { type, payload } = decodeEnvelope(bytes)
  const isWrapped = type === 3 && !(payload instanceof Uint8Array) && Array.isArray(payload[0])
  if (!isWrapped) return { transaction: decodePayload(type, payload), sidecar: undefined }
  if (payload.length !== 4 && payload.length !== 5)
    throw malformed('a blob wrapper has 4 fields, or 5 with its version')
  const transaction = decodePayload(3, payload[0] as RlpItem)
  const sidecar = decodeSidecar(payload)
  const hashes = transaction.type === 3 ? transaction.blobVersionedHashes : []
  const fault = findSidecarMismatch(hashes, sidecar)
  if (fault !== undefined) throw new TransactionError('blobs', fault)
  return { transaction, sidecar }
}

export const encodePooledTransaction = ({ transaction, sidecar }: PooledTransaction): Uint8Array => {
  const body = toPayloadFields(transaction)
  if (sidecar === undefined) return withType(transaction.type, encodeRlp(body))
  const { version, blobs, commitments, proofs } = sidecar
  const marker = version === 0 ? [] : [Uint8Array.of(version)]
  return withType(transaction.type, encodeRlp([body, ...marker, blobs, commitments, proofs]))
}
