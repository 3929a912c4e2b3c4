import type { MaybePromise } from '../../base/async/maybePromise.ts'

/** The network as the engine sees it: this node, its peers and the validators. */
export interface Network {
  readonly isListening: boolean
  /** Returns this node as its peers know it; undefined if the engine has no peer-to-peer layer. */
  self(): MaybePromise<NodeIdentity | undefined>
  peerCount(): MaybePromise<number>
  peers(): MaybePromise<readonly Peer[]>
  /** Returns the beneficiary addresses of the validators that could propose the existing block `number`. */
  validators(number: number): MaybePromise<readonly Uint8Array[]>
  /**
   * Returns the validators that decide block `number`, which may be the next one, as the engine knows them.
   */
  validatorSet(number: number): MaybePromise<readonly NetworkValidator[]>
  /** Returns the proposer of block `number`; undefined for block 0, and if it is not known any more. */
  proposal(number: number): MaybePromise<Proposal | undefined>
  /** Returns the progress of the sync; undefined if the node is synced. */
  syncing(): MaybePromise<SyncProgress | undefined>
  /** Returns the address that receives the rewards of blocks that this node proposes. */
  coinbase(): MaybePromise<Uint8Array>
}

/** A node as the engine's peer-to-peer layer describes it. */
export interface NodeIdentity {
  readonly id: string
  /** The name that the operator gave the node (CometBFT's moniker). */
  readonly name: string
  /** The address as `host:port`. */
  readonly address: string
  /** The version of the engine. */
  readonly version: string
}

export interface Peer extends NodeIdentity {
  /** Whether the peer opened the connection. */
  readonly isInbound: boolean
}

/** A member of the validator set. */
export interface NetworkValidator {
  readonly publicKey: Uint8Array
  /** The validator's address in the engine: 20 bytes. */
  readonly engineAddress: Uint8Array
  readonly power: bigint
  /** The address that receives the tips of its blocks; undefined if the chain does not define one. */
  readonly reward: Uint8Array | undefined
}

export interface Proposal {
  readonly proposer: Uint8Array
  /** Whether the proposer was the one of the first round, so that no other validator had to propose. */
  readonly isInTurn: boolean
}

export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
  /** Whether nobody who follows the chain answers: whether there are newer blocks is not known then. */
  readonly isChainAway?: boolean
}

/** Returns how many blocks are known of and not here yet; undefined if the node is not synced and nobody can tell. */
export const blocksBehind = (progress: SyncProgress | undefined): number | undefined => {
  if (progress === undefined) return 0
  return progress.highestBlock > progress.currentBlock
    ? progress.highestBlock - progress.currentBlock
    : undefined
}
