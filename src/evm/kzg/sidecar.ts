import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import { verifyBlobProof } from './blobProof.ts'
import { verifyCellProofs } from './cellProofs.ts'

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
