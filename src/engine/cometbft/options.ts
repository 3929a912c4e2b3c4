import type { SocketAddress } from '../../base/encoding/socketAddress.ts'
import type { ExitError } from '../../base/exit.ts'
import type { GivenSettings } from './process/applySettings.ts'
import type { OwnedValues } from './process/ownedKeys.ts'
import type { RewardOptions } from './reward.ts'
import type { EngineKey } from './signing/keys.ts'
import type { SnapshotOptions } from './snapshots/snapshotService.ts'

/** The operator's settings for CometBFT. */
export interface CometSettings {
  /** The pause after each block in milliseconds; undefined for the default. */
  readonly blockTimeMs: number | undefined
  readonly snapshots: SnapshotSettings
  readonly cometbft: {
    /** The path of the program; if empty, it is searched for or installed. */
    readonly program: string
    /** The address of the ABCI server for a CometBFT that the operator runs; undefined if this process starts it. */
    readonly abci: SocketAddress | undefined
    /** The URL of CometBFT's RPC. */
    readonly rpcUrl: string
    /** Further values for its configuration. */
    readonly owned: Omit<OwnedValues, 'rpcAddress' | 'blockTimeMs'>
    /** The settings that the operator chose: what they say is written to its configuration at each start. */
    readonly given: GivenSettings
  }
}

/** The interval, in blocks, at which snapshots are taken (0: never), and how many are kept. */
export type SnapshotSettings = Pick<SnapshotOptions, 'interval' | 'keep'>

/** How CometBFT is run and how it connects to the application. */
export type CometConnection =
  /** A process that this one starts. */
  | { readonly kind: 'managed'; readonly program: string; readonly folder: string; readonly socket: string }
  /** A CometBFT that the operator runs, with the ABCI address and the URL of its RPC. */
  | { readonly kind: 'attached'; readonly abci: SocketAddress; readonly rpcUrl: string }

export interface CometOptions {
  readonly connection: CometConnection
  readonly snapshots: SnapshotSettings
  readonly reward: RewardOptions
  /** The key with which the CometBFT of this node signs; undefined if it is not in the home. */
  readonly signingKey: EngineKey | undefined
  /** Called when CometBFT has exited and will not come back, or cannot be given another block. */
  readonly onFatal: (error: ExitError) => void
}
