import { beginStage, endStage } from '../../base/profiling/stages.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { impersonatedSender } from '../../chain/transaction/impersonation.ts'
import { encodePooledTransaction } from '../../chain/transaction/pooled.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'
import type { BlobSidecar, Transaction } from '../../chain/transaction/types.ts'
import type { Journal } from '../journal.ts'
import type { TransactionPool } from '../pool.ts'
import type { SenderRecovery } from '../recovery/senderRecovery.ts'
import { SidecarVerification } from '../sidecars/verification.ts'
import type { AddResult, DropReason, PoolTransaction, Signers, Submission } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'
import { decodeSubmission } from './submission.ts'

interface SubmitterDependencies {
  readonly pool: TransactionPool
  readonly recovery: SenderRecovery
  /** The verification of sidecars; by default a new one, which uses no resources until the first blob. */
  readonly sidecars?: SidecarVerification
  /** The journal; without one, local transactions are lost when the process ends. */
  readonly journal: Journal | undefined
  /**
   * Resolves when the pool's state has the sender, if it must be fetched first; if it rejects, so does the
   * submission. For a restored transaction it retries without end, because no client would submit it again.
   */
  readonly loadSender?: (sender: Uint8Array, isRestored: boolean) => Promise<void>
  /** Called if the journal cannot be written; the pool continues without it. */
  readonly onJournalError: (error: unknown) => void
}

interface RestoreResult {
  readonly restored: number
  /** The number of transactions that were damaged, are rejected now, or are in a block already. */
  readonly skipped: number
}

/** Returns the signers of a transaction that states its sender; undefined for a signed one. */
const statedSigners = (transaction: Transaction): Signers | undefined => {
  const sender = impersonatedSender(transaction)
  if (sender === undefined) return undefined
  const authorizations = transaction.type === 4 ? transaction.authorizations : []
  return { sender, authorities: authorizations.flatMap((tuple) => recoverAuthority(tuple) ?? []) }
}

/** The number of transactions that are restored at a time, whatever the bounds of the recovery. */
const restoreBatch = 1_024

/** The authorizations whose signatures are recovered together with that of the sender, before it is known. */
const fewAuthorizations = 8

const hasManyAuthorizations = (transaction: Transaction): boolean =>
  transaction.type === 4 && transaction.authorizations.length > fewAuthorizations

const toPooledBytes = (tx: PoolTransaction): Uint8Array =>
  tx.sidecar === undefined ? tx.raw : encodePooledTransaction(tx)

/**
 * Submits bytes to the pool: decodes and checks them, has the sender recovered, and journals local
 * transactions.
 */
export class TransactionSubmitter {
  readonly #pool: TransactionPool
  readonly #recovery: SenderRecovery
  readonly #sidecars: SidecarVerification
  #journal: Journal | undefined
  readonly #loadSender: SubmitterDependencies['loadSender']
  readonly #onJournalError: (error: unknown) => void
  /** Called with the hash and the sender of each transaction whose signature was recovered, and the rules of that. */
  onRecovered: (hash: Uint8Array, sender: Uint8Array, fork: Fork) => void = () => {}
  /** The local transactions of the pool that the journal holds. */
  readonly #written = new Set<PoolTransaction>()
  /** Those that were replaced, until the journal holds the ones in their place: a killed process loses neither. */
  #replaced: PoolTransaction[] = []

  constructor({
    pool,
    recovery,
    sidecars = new SidecarVerification(),
    journal,
    loadSender,
    onJournalError,
  }: SubmitterDependencies) {
    this.#pool = pool
    this.#recovery = recovery
    this.#sidecars = sidecars
    this.#journal = journal
    this.#loadSender = loadSender
    this.#onJournalError = onJournalError
    pool.events.on('dropped', ({ transaction, reason }) => {
      if (this.#written.delete(transaction) && this.#journal) this.#forget(transaction, reason, this.#journal)
    })
  }

  /**
   * Submits a transaction in the form in which it travels: EIP-2718, blob transactions with their sidecar. A
   * local one is in the journal when the promise resolves. With `isImpersonated` it is one that states its sender.
   */
  async submit(raw: Uint8Array, isLocal: boolean, isImpersonated = false): Promise<AddResult> {
    const admission = await this.#admit(raw, isLocal, { isRestored: false, isImpersonated })
    const { transaction } = admission
    // One that another of the same turn has replaced or pushed out is not to come back.
    if (isLocal && transaction && this.#journal && this.#pool.get(transaction.hash) === transaction) {
      const begun = beginStage()
      this.#record(transaction, this.#journal)
      endStage('journal', begun, 1)
    }
    return admission
  }

  async #admit(
    raw: Uint8Array,
    isLocal: boolean,
    { isRestored, isImpersonated }: { readonly isRestored: boolean; readonly isImpersonated: boolean },
  ): Promise<AddResult> {
    const begun = beginStage()
    const read = decodeSubmission(raw)
    if (read.submission === undefined) return { rejection: read.rejection }
    const { submission } = read
    const rejection = this.#pool.precheck(submission, isLocal)
    if (rejection !== undefined) return { rejection }
    const stated = isImpersonated ? statedSigners(submission.transaction) : undefined
    if (stated !== undefined) {
      if (this.#loadSender !== undefined) await this.#loadSender(stated.sender, isRestored)
      return this.#pool.add(submission, stated, isLocal)
    }
    const decoded = endStage('decode', begun, 1)
    const { fork } = this.#pool.head
    // What is restored was payable once, and stays in order if all of it is recovered in one step.
    const isSenderOnly = !isRestored && hasManyAuthorizations(submission.transaction)
    const options = { isSenderOnly, isUnbounded: isRestored }
    const recovering = this.#recovery.recover(submission, fork, options)
    if (recovering === undefined) return { rejection: this.#busy() }
    const signers = await recovering
    endStage('recover', decoded, 1, 'wait')
    if (signers === undefined) return { rejection: reject('invalidSender') }
    this.onRecovered(submission.hash, signers.sender, fork)
    if (this.#loadSender !== undefined) await this.#loadSender(signers.sender, isRestored)
    if (submission.sidecar !== undefined) {
      const rejection = await this.#checkSidecar(submission, submission.sidecar, signers, isLocal)
      if (rejection !== undefined) return { rejection }
    }
    if (isSenderOnly) return this.#admitWithAuthorities(submission, fork, signers, isLocal)
    const admitting = beginStage()
    const added = this.#pool.add(submission, signers, isLocal)
    endStage('admit', admitting, 1)
    return added
  }

  /**
   * Recovers the authorities of a transaction whose sender is known, after all other checks: they may be thousands, and
   * their recovery must not be free for a sender that cannot pay.
   */
  async #admitWithAuthorities(
    submission: Submission,
    fork: Fork,
    known: Signers,
    isLocal: boolean,
  ): Promise<AddResult> {
    const rejection = this.#pool.validate(submission, known, isLocal)
    if (rejection !== undefined) return { rejection }
    // The sender was found with these rules before, so that nothing comes back only if no more can wait.
    const signers = await this.#recovery.recover(submission, fork)
    return signers === undefined ? { rejection: this.#busy() } : this.#pool.add(submission, signers, isLocal)
  }

  #busy(): Rejection {
    return reject('busy', this.#recovery.waiting, 'signatures')
  }

  /** Verifies the sidecar, after all other checks, because it takes thousands of times as long. */
  async #checkSidecar(
    submission: Submission,
    sidecar: BlobSidecar,
    signers: Signers,
    isLocal: boolean,
  ): Promise<Rejection | undefined> {
    const rejection = this.#pool.validate(submission, signers, isLocal)
    if (rejection !== undefined) return rejection
    const verifying = this.#sidecars.verify(sidecar)
    if (verifying === undefined) return reject('busy', this.#sidecars.waiting, 'blobs')
    return (await verifying) ? undefined : reject('invalidBlobs', 'KZG verification error')
  }

  /**
   * Adds the transactions that the journal held when it was opened, and rewrites it with those that are still
   * valid.
   */
  async restore(): Promise<RestoreResult> {
    const journal = this.#journal
    if (journal === undefined) return { restored: 0, skipped: 0 }
    const { loaded, damaged, forgotten } = journal
    for (let at = 0; at < loaded.length; at += restoreBatch) {
      const batch = loaded.slice(at, at + restoreBatch).map((raw) => this.#restore(raw))
      for (const { transaction } of await Promise.all(batch)) if (transaction) this.#written.add(transaction)
    }
    // A later transaction of the file may have replaced or evicted an earlier one.
    for (const tx of this.#written) if (this.#pool.get(tx.hash) !== tx) this.#written.delete(tx)
    const restored = this.#written.size
    const skipped = loaded.length + damaged - restored
    if (skipped + forgotten > 0) this.#rewrite(journal)
    return { restored, skipped }
  }

  /** The journal holds what this process admitted, so that a sender that a transaction states was admitted too. */
  #restore(raw: Uint8Array): Promise<AddResult> {
    return this.#admit(raw, true, { isRestored: true, isImpersonated: true })
  }

  async close(): Promise<void> {
    await this.#recovery.close()
    await this.#sidecars.close()
    this.#journal?.close()
    this.#journal = undefined
  }

  /**
   * Has the journal hold no other transactions than those of the pool, before blocks are reverted: what they contain
   * would come back at the next start, because its nonces are free again.
   */
  forgetIncluded(): void {
    const journal = this.#journal
    if (journal === undefined) return
    this.#replaced = []
    this.#write(journal, () => journal.forgetAllBut([...this.#written].map(toPooledBytes)))
  }

  #record(tx: PoolTransaction, journal: Journal): void {
    this.#written.add(tx)
    // It may be one of them itself, sent again after the one in its place had left.
    const replaced = this.#replaced.filter(({ id }) => id !== tx.id)
    this.#replaced = []
    this.#write(journal, () => journal.append([toPooledBytes(tx)], replaced.map(toPooledBytes)))
  }

  /** What left the pool must not come back at the next start. The nonce of one that a block made stale is used. */
  #forget(tx: PoolTransaction, reason: DropReason, journal: Journal): void {
    if (reason === 'included' || reason === 'stale') return
    if (reason === 'replaced') this.#replaced.push(tx)
    else this.#write(journal, () => journal.forget([toPooledBytes(tx)]))
  }

  #write(journal: Journal, write: () => void): void {
    try {
      write()
      if (journal.isMostlyStale(this.#written.size)) this.#rewrite(journal)
    } catch {
      // A new file may succeed, and is the only way to continue after a failed sync.
      this.#rewrite(journal)
    }
  }

  #rewrite(journal: Journal): void {
    try {
      journal.rewrite([...this.#written].map(toPooledBytes))
    } catch (error) {
      this.#onJournalError(error)
    }
  }
}
