import type { AbciAddress } from '../../base/abciAddress.ts'
import type { StateSyncOptions } from './process/config.ts'
import type { SnapshotOptions } from './snapshots/snapshots.ts'

/** What an operator sets for CometBFT. */
export interface CometSettings {
  /** Milliseconds of pause after each block, in a new home; undefined: as long as is usual. */
  readonly blockTimeMs: number | undefined
  readonly snapshots: SnapshotSettings
  readonly cometbft: {
    /** The program; empty: it is found, or installed. */
    readonly program: string
    /** Where a CometBFT that somebody else runs finds the application; undefined: it is run here. */
    readonly abci: AbciAddress | undefined
    /** Where its RPC is, or in a new home shall be. */
    readonly rpcUrl: string
    /** What goes into the configuration of a new home. */
    readonly newHome: {
      /** `host:port` for peers. */
      readonly p2pAddress: string
      /** `id@host:port`. */
      readonly persistentPeers: readonly string[]
      readonly stateSync: StateSyncOptions | undefined
      /** `host:port`; undefined: it shows no metrics. */
      readonly metricsAddress: string | undefined
    }
  }
}

/** How often a snapshot is taken for nodes that join (0: never), and how many are kept. */
export type SnapshotSettings = Pick<SnapshotOptions, 'interval' | 'keep'>

/** Who runs CometBFT, and how it and the application find each other. */
export type CometConnection =
  /** A process that this one starts. */
  | { readonly kind: 'managed'; readonly program: string; readonly folder: string; readonly socket: string }
  /** Somebody else: where it finds the application, and where its RPC is. */
  | { readonly kind: 'attached'; readonly abci: AbciAddress; readonly rpcUrl: string }

export interface CometOptions {
  readonly connection: CometConnection
  readonly snapshots: SnapshotSettings
  /** To be called when CometBFT is gone and will not come back. */
  readonly onFatal: (reason: string) => void
}
