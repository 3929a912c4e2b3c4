import type { Logger } from '../../base/logging/log.ts'
import type { ResourceStack } from '../../base/resources.ts'
import { reportRestored } from '../../pool/admission/restoreReport.ts'
import { TransactionSubmitter } from '../../pool/admission/transactionSubmitter.ts'
import { InclusionWaiters } from '../../pool/inclusionWaiters.ts'
import { Journal, journalFolder } from '../../pool/journal.ts'
import { type PoolStats, trackDrops } from '../../pool/metrics.ts'
import { TransactionPool } from '../../pool/pool.ts'
import { type RecoverySettings, SenderRecovery } from '../../pool/recovery/senderRecovery.ts'
import type { BlobPolicy, PoolHead, PoolSettings, PoolState } from '../../pool/types.ts'

export interface PoolOptions {
  readonly settings: PoolSettings
  readonly blobs: BlobPolicy
  /** The folder of the chain's data, which holds the journal. */
  readonly dataFolder: string
  /** Whether the folder is removed at the end, so that no journal is kept. */
  readonly isEphemeral: boolean
  readonly recovery: RecoverySettings
  /** Has the state of a sender fetched, where it may be a remote one. */
  readonly loadSender?: ((sender: Uint8Array) => Promise<void>) | undefined
}

export interface PoolDependencies {
  readonly state: PoolState
  readonly head: PoolHead
  readonly log: Logger
}

/** The pool with its journal, submission and inclusion waiters. */
export interface OpenPool {
  readonly pool: TransactionPool
  readonly intake: TransactionSubmitter
  /** The clients that wait for the block of a transaction. */
  readonly inclusions: InclusionWaiters
  readonly stats: () => PoolStats
}

/**
 * How often the pool drops transactions that have been queued for too long. With instant sealing no block may come for
 * hours.
 */
const expiryMs = 60_000

/** Creates the pool and restores the transactions of its journal. */
export const openPool = async (
  { settings, blobs, dataFolder, isEphemeral, recovery, loadSender }: PoolOptions,
  { state, head, log }: PoolDependencies,
  resources: ResourceStack,
): Promise<OpenPool> => {
  const pool = new TransactionPool(settings, {
    state,
    head,
    blobs,
    now: () => performance.now(),
    onListenerError: (error) => log.error({ err: error }, 'a listener of the pool failed'),
  })
  const stats = trackDrops(pool)
  const inclusions = new InclusionWaiters()
  pool.events.on('dropped', ({ transaction }) => inclusions.settle(transaction.hash))
  const intake = new TransactionSubmitter({
    pool,
    recovery: new SenderRecovery(recovery),
    journal: isEphemeral ? undefined : new Journal(journalFolder(dataFolder)),
    ...(loadSender && { loadSender }),
    onJournalError: (error) => log.error({ err: error }, 'the journal cannot be written'),
  })
  resources.own('way into the pool', () => intake.close())
  const expiry = setInterval(() => pool.expire(), expiryMs)
  expiry.unref()
  resources.own('timer of the pool', () => clearInterval(expiry))
  reportRestored(log, await intake.restore())
  return { pool, intake, inclusions, stats }
}
