import { join } from 'node:path'
import type { Logger } from '../base/log.ts'
import type { ResourceStack } from '../base/resources.ts'
import { PoolIntake } from '../pool/admission/intake.ts'
import { InclusionWaits } from '../pool/inclusion.ts'
import { Journal } from '../pool/journal.ts'
import { countDrops, type PoolStats } from '../pool/metrics.ts'
import { TransactionPool } from '../pool/pool.ts'
import { SenderRecovery } from '../pool/recovery/recovery.ts'
import type { BlobPolicy, PoolHead, PoolSettings, PoolState } from '../pool/types.ts'

export interface PoolOptions {
  readonly settings: PoolSettings
  readonly blobs: BlobPolicy
  /** The folder of the chain's data, in which the journal is. */
  readonly dataFolder: string
}

export interface PoolDependencies {
  readonly state: PoolState
  readonly head: PoolHead
  readonly log: Logger
}

/** The pool and the ways into and out of it. */
export interface OpenPool {
  readonly pool: TransactionPool
  readonly intake: PoolIntake
  /** Those who wait for the block of a transaction. */
  readonly inclusions: InclusionWaits
  readonly stats: () => PoolStats
}

/** How often the pool looks for transactions that have been queued for too long: on demand no block may come for hours. */
const expiryMs = 60_000

/** Sets up the pool with what its journal held. */
export const openPool = async (
  { settings, blobs, dataFolder }: PoolOptions,
  { state, head, log }: PoolDependencies,
  resources: ResourceStack,
): Promise<OpenPool> => {
  const pool = new TransactionPool(settings, { state, head, blobs, now: () => performance.now() })
  const stats = countDrops(pool)
  const inclusions = new InclusionWaits()
  pool.events.on('dropped', ({ transaction }) => inclusions.settle(transaction.hash))
  const intake = new PoolIntake({
    pool,
    recovery: new SenderRecovery(),
    journal: new Journal(join(dataFolder, 'pool')),
    onJournalError: (error) => log.error({ err: error }, 'the journal cannot be written'),
  })
  resources.own('way into the pool', () => intake.close())
  const expiry = setInterval(() => pool.expire(), expiryMs)
  expiry.unref()
  resources.own('timer of the pool', () => clearInterval(expiry))
  const { restored } = await intake.restore()
  if (restored > 0) log.info({ restored }, 'transactions of the journal are back in the pool')
  return { pool, intake, inclusions, stats }
}
