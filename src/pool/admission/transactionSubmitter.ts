import { beginStage, endStage } from '../../base/profiling/stages.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { BlobSidecar, Transaction } from '../../chain/transaction/transaction.ts'
import type { Journal } from '../journal.ts'
import type { TransactionPool } from '../pool.ts'
import type { SenderRecovery } from '../recovery/senderRecovery.ts'
import { SidecarVerification } from '../sidecars/verification.ts'
import type { AddResult, PoolTransaction, Signers, Submission } from '../types.ts'
import { LocalJournal } from './localJournal.ts'
import { type Rejection, reject } from './rejections.ts'
import { restoreTransactions } from './restoration.ts'
import { checkSidecar } from './sidecarCheck.ts'
import { decodeSubmission, statedSigners } from './submission.ts'

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
  /** Called if the journal cannot be written: what is submitted here is rejected until it can. */
  readonly onJournalError: (error: unknown) => void
}

export interface RestoreResult {
  /** The number of transactions that are pending or queued. */
  readonly restored: number
  /** The number of those that the pool has no room for, or their sender no funds. */
  readonly parked: number
  /** The number of those that are dropped: they were damaged, are rejected for good, or are in a block already. */
  readonly skipped: number
  /** How many are dropped for which reason. */
  readonly why: Readonly<Record<string, number>>
}

/** The authorizations whose signatures are recovered together with that of the sender, before it is known. */
const fewAuthorizations = 8

const hasManyAuthorizations = (transaction: Transaction): boolean =>
  transaction.type === 4 && transaction.authorizations.length > fewAuthorizations

interface SubmissionKind {
  readonly isLocal: boolean
  readonly isImpersonated: boolean
}

/**
 * Submits bytes to the pool: decodes and checks them, has the sender recovered, and journals local
 * transactions.
 */
export class TransactionSubmitter {
  readonly #pool: TransactionPool
  readonly #recovery: SenderRecovery
  readonly #sidecars: SidecarVerification
  readonly #journal: LocalJournal
  readonly #loadSender: SubmitterDependencies['loadSender']
  /** Called with the hash and the sender of each transaction whose signature was recovered, and the rules of that. */
  onRecovered: (hash: Uint8Array, sender: Uint8Array, fork: Fork) => void = () => {}

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
    this.#journal = new LocalJournal(journal, pool, onJournalError)
    this.#loadSender = loadSender
  }

  /**
   * Submits a transaction in the form in which it travels: EIP-2718, blob transactions with their sidecar. A
   * local one is in the journal when the promise resolves. With `isImpersonated` it is one that states its sender.
   */
  async submit(raw: Uint8Array, isLocal: boolean, isImpersonated = false): Promise<AddResult> {
    const begun = beginStage()
    const read = decodeSubmission(raw)
    if (read.submission === undefined) return { rejection: read.rejection }
    const { submission } = read
    if (isLocal && !this.#journal.canRecord()) return { rejection: reject('notJournaled') }
    const admission = await this.#admit(submission, begun, { isLocal, isImpersonated })
    return isLocal && admission.rejection?.kind === 'alreadyKnown' ? this.#keepKnown(submission) : admission
  }

  /** Journals a transaction that others sent before, like one that was submitted here: `alreadyKnown` then means that it is kept. */
  #keepKnown({ id }: Submission): AddResult {
    const { transaction: tx, rejection } = this.#pool.makeLocal(id)
    if (tx === undefined) return { rejection }
    if (this.#journal.record(tx).isKept) return { rejection: reject('alreadyKnown') }
    tx.isLocal = false
    return { rejection: reject('notJournaled') }
  }

  /** Adds a transaction and journals a local one in the same turn, before another can take its place. */
  #add(submission: Submission, signers: Signers, isLocal: boolean): AddResult {
    const admitting = beginStage()
    const added = this.#pool.add(submission, signers, isLocal)
    endStage('admit', admitting, 1)
    const { transaction } = added
    // A listener may have taken it out at once.
    if (!isLocal || transaction === undefined || this.#pool.get(transaction.hash) !== transaction)
      return added
    const { isKept, replaced } = this.#journal.record(transaction)
    if (isKept) return added
    this.#pool.takeBack(transaction, replaced)
    return { rejection: reject('notJournaled') }
  }

  async #admit(
    submission: Submission,
    begun: ReturnType<typeof beginStage>,
    { isLocal, isImpersonated }: SubmissionKind,
  ): Promise<AddResult> {
    const rejection = this.#pool.precheck(submission, isLocal)
    if (rejection !== undefined) return { rejection }
    const stated = isImpersonated ? statedSigners(submission.transaction) : undefined
    if (stated !== undefined) {
      if (this.#loadSender !== undefined) await this.#loadSender(stated.sender, false)
      return this.#add(submission, stated, isLocal)
    }
    const decoded = endStage('decode', begun, 1)
    const { fork } = this.#pool.head
    const isSenderOnly = hasManyAuthorizations(submission.transaction)
    const recovering = this.#recovery.recover(submission, fork, { isSenderOnly })
    if (recovering === undefined) return { rejection: this.#busy() }
    const signers = await recovering
    endStage('recover', decoded, 1, 'wait')
    if (signers === undefined) return { rejection: reject('invalidSender') }
    this.onRecovered(submission.hash, signers.sender, fork)
    if (this.#loadSender !== undefined) await this.#loadSender(signers.sender, false)
    if (submission.sidecar !== undefined) {
      const rejection = await this.#checkSidecar(submission, submission.sidecar, signers, isLocal)
      if (rejection !== undefined) return { rejection }
    }
    return isSenderOnly
      ? this.#admitWithAuthorities(submission, fork, signers, isLocal)
      : this.#add(submission, signers, isLocal)
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
    return signers === undefined ? { rejection: this.#busy() } : this.#add(submission, signers, isLocal)
  }

  #busy(): Rejection {
    return reject('busy', this.#recovery.waiting, 'signatures')
  }

  #checkSidecar(
    submission: Submission,
    sidecar: BlobSidecar,
    signers: Signers,
    isLocal: boolean,
  ): Promise<Rejection | undefined> {
    return checkSidecar(submission, sidecar, signers, isLocal, {
      pool: this.#pool,
      verify: (blobs) => this.#sidecars.verify(blobs),
      waiting: () => this.#sidecars.waiting,
    })
  }

  /**
   * Adds the transactions that the journal held when it was opened, and rewrites it with those that are still
   * valid.
   */
  async restore(): Promise<RestoreResult> {
    const loadSender = this.#loadSender
    const kept = new Set<PoolTransaction>()
    const why: Record<string, number> = {}
    const count = (reason: string): void => {
      why[reason] = (why[reason] ?? 0) + 1
    }
    const stopCounting = this.#pool.events.on('dropped', ({ transaction, reason }) => {
      // A later transaction of the file may have replaced it.
      if (kept.delete(transaction)) count(reason)
    })
    await restoreTransactions([...this.#journal.unrestored], {
      pool: this.#pool,
      recovery: this.#recovery,
      sidecars: this.#sidecars,
      loadSender: loadSender && ((sender) => loadSender(sender, true)),
      onRecovered: (...recovered) => this.onRecovered(...recovered),
      onResult: (id, result) => {
        this.#journal.onRestored(id, result)
        if (result.transaction !== undefined) kept.add(result.transaction)
        else count(result.rejection.kind)
      },
    })
    stopCounting()
    const parked = [...kept].filter((tx) => this.#pool.isParked(tx)).length
    const { skipped, damaged } = await this.#journal.onAllRestored(kept.size)
    return {
      restored: kept.size - parked,
      parked,
      skipped,
      why: damaged > 0 ? { ...why, damaged } : why,
    }
  }

  /** The payloads of the journal that are not restored yet, by their hashes. Each leaves the map when it is restored. */
  get unrestored(): ReadonlyMap<string, Uint8Array> {
    return this.#journal.unrestored
  }

  /** The number of signatures under way: of transactions that the pool may have in a moment. */
  get incoming(): number {
    return this.#recovery.waiting
  }

  /** Has a function called when none is under way any more, whether the pool has taken the last ones or not. */
  onNoneIncoming(listener: () => void): void {
    this.#recovery.onIdle = listener
  }

  async close(): Promise<void> {
    await this.#recovery.close()
    await this.#sidecars.close()
    this.#journal.close()
  }

  /**
   * Has the journal hold no other transactions than those of the pool, before blocks are reverted: what they contain
   * would come back at the next start, because its nonces are free again.
   */
  forgetIncluded(): void {
    this.#journal.forgetIncluded()
  }
}
