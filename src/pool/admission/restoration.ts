import { toHex } from '../../base/encoding/hex.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import { compareNonces } from '../order/nonces.ts'
import type { TransactionPool } from '../pool.ts'
import type { SenderRecovery } from '../recovery/senderRecovery.ts'
import type { SidecarVerification } from '../sidecars/verification.ts'
import type { AddResult, Signers, Submission } from '../types.ts'
import { isLasting, type Rejection, reject } from './rejections.ts'
import { decodeSubmission, statedSigners } from './submission.ts'

interface RestorationDependencies {
  readonly pool: TransactionPool
  readonly recovery: SenderRecovery
  readonly sidecars: SidecarVerification
  /** Resolves when the pool's state has the sender. */
  readonly loadSender: ((sender: Uint8Array) => Promise<void>) | undefined
  readonly onRecovered: (hash: Uint8Array, sender: Uint8Array, fork: Fork) => void
  /** Called with what became of each. */
  readonly onResult: (id: string, result: AddResult) => void
}

interface Restorable {
  readonly id: string
  readonly submission: Submission
  readonly signers: Signers
  readonly arrival: number
}

/** The number of transactions whose senders are recovered at a time, whatever the bounds of the recovery. */
const recoveryBatch = 1_024

/** The senders that are loaded at a time: a sender that cannot be read for long does not keep the others waiting. */
const sendersAtOnce = 1_024

/**
 * Adds the transactions of a journal to the pool. A replacement is written behind those that follow it, so that those of
 * a sender are added by nonce once all are known: in the order of the file many would have to wait for others, in a queue
 * that has no place for them. What the pool rejects only for now is parked.
 */
export const restoreTransactions = async (
  payloads: readonly (readonly [id: string, payload: Uint8Array])[],
  dependencies: RestorationDependencies,
): Promise<void> => {
  const firstArrival = dependencies.pool.reserveArrivals(payloads.length)
  const bySender = new Map<string, Restorable[]>()
  for (let at = 0; at < payloads.length; at += recoveryBatch) {
    const batch = payloads
      .slice(at, at + recoveryBatch)
      .map(([id, payload], index) => recover(id, payload, firstArrival + at + index, dependencies))
    for (const found of await Promise.all(batch)) {
      if (found === undefined) continue
      const sender = toHex(found.signers.sender)
      const others = bySender.get(sender)
      if (others === undefined) bySender.set(sender, [found])
      else others.push(found)
    }
  }
  const verify = verifyInTurn(dependencies.sidecars)
  const groups = bySender.values()
  const addSome = async (): Promise<void> => {
    for (const own of groups) await addOfSender(own, verify, dependencies)
  }
  await Promise.all(Array.from({ length: sendersAtOnce }, addSome))
}

/** The journal holds what this process admitted, so that a sender that a transaction states was admitted too. */
const recover = async (
  id: string,
  payload: Uint8Array,
  arrival: number,
  { pool, recovery, onRecovered, onResult }: RestorationDependencies,
): Promise<Restorable | undefined> => {
  const refuse = (rejection: Rejection): undefined => {
    onResult(id, { rejection })
  }
  const read = decodeSubmission(payload)
  if (read.submission === undefined) return refuse(read.rejection)
  const { submission } = read
  const stated = statedSigners(submission.transaction)
  if (stated !== undefined) return { id, submission, signers: stated, arrival }
  const { fork } = pool.head
  const recovering = recovery.recover(submission, fork, { isUnbounded: true })
  if (recovering === undefined) return refuse(reject('busy', recovery.waiting, 'signatures'))
  const signers = await recovering
  if (signers === undefined) return refuse(reject('invalidSender'))
  onRecovered(submission.hash, signers.sender, fork)
  return { id, submission, signers, arrival }
}

type Verify = (sidecar: BlobSidecar) => Promise<boolean>

/** Verifies one sidecar after the other, however many others wait: nobody would send them again. */
const verifyInTurn = (sidecars: SidecarVerification): Verify => {
  let last: Promise<unknown> = Promise.resolve()
  return (sidecar) => {
    const result = last.then(() => {
      const verifying = sidecars.verify(sidecar, { isUnbounded: true })
      if (verifying === undefined) throw new Error('the verification of blobs is closed')
      return verifying
    })
    last = result.catch(() => {})
    return result
  }
}

const addOfSender = async (
  own: readonly Restorable[],
  verify: Verify,
  { pool, loadSender, onResult }: RestorationDependencies,
): Promise<void> => {
  const [first] = own
  if (loadSender !== undefined && first !== undefined) await loadSender(first.signers.sender)
  const byNonce = [...own].sort((a, b) => compareNonces(a.submission, b.submission) || a.arrival - b.arrival)
  for (const { id, submission, signers, arrival } of byNonce) {
    const { sidecar } = submission
    const rejection = sidecar && (await checkSidecar(submission, sidecar, signers, { pool, verify }))
    onResult(id, rejection === undefined ? pool.restore(submission, signers, arrival) : { rejection })
  }
}

/** Verifies a sidecar, unless its transaction is rejected for good: that takes thousands of times as long as all else. */
const checkSidecar = async (
  submission: Submission,
  sidecar: BlobSidecar,
  signers: Signers,
  { pool, verify }: { readonly pool: TransactionPool; readonly verify: Verify },
): Promise<Rejection | undefined> => {
  const rejection = pool.validate(submission, signers, false)
  if (rejection !== undefined && isLasting(rejection) && rejection.kind !== 'alreadyKnown') return rejection
  return (await verify(sidecar)) ? undefined : reject('invalidBlobs', 'KZG verification error')
}
