import type { MaybePromise } from '../../base/maybePromise.ts'

/** What the engine knows of this node, its peers and the validators. */
export interface Network {
  readonly isListening: boolean
  /** Returns this node as its peers know it; undefined where the engine speaks to no other node. */
  self(): MaybePromise<NodeIdentity | undefined>
  peerCount(): MaybePromise<number>
  peers(): MaybePromise<readonly Peer[]>
  /** Returns who could propose the block of a height that is there: the beneficiaries of blocks of theirs. */
  validators(number: number): MaybePromise<readonly Uint8Array[]>
  /** Returns who decides the block of a height, which is there or the next one, with what the engine knows of each. */
  validatorSet(number: number): MaybePromise<readonly NetworkValidator[]>
  /** Returns who proposed a block; undefined for the first block, which nobody did, and where it is not known any more. */
  proposal(number: number): MaybePromise<Proposal | undefined>
  /** Returns undefined while the node is in step with the chain. */
  syncing(): MaybePromise<SyncProgress | undefined>
  /** Returns the address that receives the rewards of blocks that this node proposes. */
  coinbase(): MaybePromise<Uint8Array>
}

/** A node in the words of the engine's peer-to-peer layer. */
export interface NodeIdentity {
  readonly id: string
  /** The moniker that the operator gave it. */
  readonly name: string
  /** `host:port` */
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
  /** The engine's address of it: 20 bytes. */
  readonly engineAddress: Uint8Array
  readonly power: bigint
  /** Receives the tips of its blocks; undefined where the chain does not say. */
  readonly reward: Uint8Array | undefined
}

export interface Proposal {
  readonly proposer: Uint8Array
  /** Whether it was this validator's turn, so that nobody had to step in. */
  readonly isInTurn: boolean
}

export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}
