import type { SyncProgress } from './network.ts'
import type { PoolTransaction } from './pool.ts'

/** How the head moved. */
export type HeadChange =
  /** Blocks up to this one are there, each readable. */
  | { readonly kind: 'grown'; readonly from: number; readonly to: number }
  /** Blocks above this one are gone. */
  | {
      readonly kind: 'taken back'
      readonly to: number
      /** The logs that went with them, newest block first, each as JSON with `removed: true`; asked for when wanted. */
      readonly removedLogs: () => readonly { readonly number: number; readonly logs: readonly Uint8Array[] }[]
    }

/** What happens on a chain, told to all who listen, in order. Each call gives what ends the listening. */
export interface Events {
  onHead(listener: (change: HeadChange) => void): () => void
  /** The pool holds it as executable. */
  onPending(listener: (transaction: PoolTransaction) => void): () => void
  /** Undefined: in step with the chain again. */
  onSyncing(listener: (progress: SyncProgress | undefined) => void): () => void
}
