import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import type { TransactionPool } from '../pool.ts'
import type { Signers, Submission } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

interface SidecarCheckDependencies {
  readonly pool: Pick<TransactionPool, 'validate'>
  /** Returns whether the proofs of a sidecar are right; undefined if no more can wait for that. */
  readonly verify: (sidecar: BlobSidecar) => Promise<boolean> | undefined
  /** Returns how many wait. */
  readonly waiting: () => number
}

/** Verifies the sidecar, after all other checks, because it takes thousands of times as long. */
export const checkSidecar = async (
  submission: Submission,
  sidecar: BlobSidecar,
  signers: Signers,
  isLocal: boolean,
  { pool, verify, waiting }: SidecarCheckDependencies,
): Promise<Rejection | undefined> => {
  const rejection = pool.validate(submission, signers, isLocal)
  if (rejection !== undefined) return rejection
  const verifying = verify(sidecar)
  if (verifying === undefined) return reject('busy', waiting(), 'blobs')
  return (await verifying) ? undefined : reject('invalidBlobs', 'KZG verification error')
}
