import type { SyncProgress } from './network.ts'
import type { PoolTransaction } from './pool.ts'

/** A change of the head. */
export type HeadChange =
  /** The blocks from `from` to `to` were added and can be read. */
  | { readonly kind: 'extended'; readonly from: number; readonly to: number }
  /** The blocks above `to` were reverted. */
  | {
      readonly kind: 'reverted'
      readonly to: number
      /**
       * Returns the logs of the reverted blocks, newest block first, each as JSON with `removed: true`. It is
       * a function because most listeners do not need them.
       */
      readonly removedLogs: () => readonly { readonly number: number; readonly logs: readonly Uint8Array[] }[]
    }

/**
 * The events of a chain. Listeners are called in the order of the events; each method returns a function that
 * removes the listener.
 */
export interface Events {
  onHead(listener: (change: HeadChange) => void): () => void
  /** Calls the listener for each transaction that becomes pending. */
  onPending(listener: (transaction: PoolTransaction) => void): () => void
  /** Calls the listener with the progress of a sync, and with undefined when the node is synced. */
  onSyncing(listener: (progress: SyncProgress | undefined) => void): () => void
}
