import { availableParallelism } from 'node:os'
import type { BlockTransaction } from '../chain/block/block.ts'
import type { Fork } from '../chain/config/forks.ts'
import { type RecoverySettings, SenderRecovery } from '../pool/recovery/recovery.ts'

/** A whole batch of blocks waits at once, and goes out in few parts: the main thread is busy with the batch before. */
const settings: RecoverySettings = {
  threads: Math.max(1, availableParallelism() - 1),
  maxWaiting: Number.POSITIVE_INFINITY,
  maxBatch: 4_096,
  maxInline: 16,
}

/** Recovers the senders of an import's transactions on threads of its own. */
export interface ImportSenders {
  findSender(transaction: BlockTransaction, fork: Fork): Promise<Uint8Array | undefined>
  close(): Promise<void>
}

export const createImportSenders = (): ImportSenders => {
  const recovery = new SenderRecovery(settings)
  return {
    findSender: async ({ transaction, raw }, fork) =>
      (await recovery.recover({ transaction, raw }, fork))?.sender,
    close: () => recovery.close(),
  }
}
