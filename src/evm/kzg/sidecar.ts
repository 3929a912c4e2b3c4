import { createHash } from 'node:crypto'
import { lazy } from '../../base/async/lazy.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import { verifyCellProofs } from './cellProofs.ts'
import { allocateOpening, decodePoint, verifyOpening } from './points.ts'
import { elementsPerBlob, evaluate, order, toCoefficients } from './scalars.ts'

const domain = Buffer.from('FSBLOBVERIFY_V1_')
const degree = fromBigInt(BigInt(elementsPerBlob), 16)

const opening = lazy(allocateOpening)

/**
 * Returns the point at which a blob and its commitment are compared; it is a hash, so that nobody can choose
 * it.
 */
const challenge = (blob: Uint8Array, commitment: Uint8Array): bigint => {
  const hash = createHash('sha256').update(domain).update(degree).update(blob).update(commitment).digest()
  return toBigInt(hash) % order
}

/** Checks that the commitment is the blob's (EIP-4844's `verify_blob_kzg_proof`). */
const verifyBlobProof = (blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array): boolean => {
  const coefficients = toCoefficients(blob)
  if (coefficients === undefined) return false
  const { codec, commitment: commitmentPoint, proof: proofPoint, z, y } = opening()
  if (!decodePoint(commitmentPoint, commitment) || !decodePoint(proofPoint, proof)) return false
  const at = challenge(blob, commitment)
  codec.readScalar(z, fromBigInt(at, 32), 0)
  codec.readScalar(y, fromBigInt(evaluate(coefficients, at), 32), 0)
  return verifyOpening(commitmentPoint, z, y, proofPoint)
}

/**
 * Checks whether the commitments of a sidecar, whose counts are correct, are those of its blobs. Takes tens
 * of milliseconds.
 */
export const verifySidecar = (sidecar: BlobSidecar): boolean => {
  if (sidecar.version === 1) return verifyCellProofs(sidecar)
  const { blobs, commitments, proofs } = sidecar
  return blobs.every((blob, index) =>
    verifyBlobProof(blob, commitments[index] as Uint8Array, proofs[index] as Uint8Array),
  )
}
