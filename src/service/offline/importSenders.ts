import { availableParallelism } from 'node:os'
import type { BlockTransaction } from '../../chain/block/block.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { type RecoverySettings, SenderRecovery } from '../../pool/recovery/senderRecovery.ts'

/**
 * A whole batch of blocks is recovered at once and in few parts, because the main thread is busy with the previous
 * batch.
 */
const settings: RecoverySettings = {
  threads: Math.max(1, availableParallelism() - 1),
  maxWaiting: Number.POSITIVE_INFINITY,
  maxBatch: 4_096,
  maxInline: 16,
}

/** Recovers the senders of imported transactions on separate threads. */
export interface ImportSenders {
  recoverSender(transaction: BlockTransaction, fork: Fork): Promise<Uint8Array | undefined>
  close(): Promise<void>
}

export const createImportSenders = (): ImportSenders => {
  const recovery = new SenderRecovery(settings)
  return {
    recoverSender: async ({ transaction, raw }, fork) =>
      (await recovery.recover({ transaction, raw }, fork, { isSenderOnly: true }))?.sender,
    close: () => recovery.close(),
  }
}
