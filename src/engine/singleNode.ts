import { pruned, statePrunedError, unsupported } from '../chain/chainError.ts'
import type { ChainControl } from '../chain/port/control.ts'
import type { Network, NetworkValidator, NodeIdentity, Peer, Proposal } from '../chain/port/network.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import type { EngineProducer } from './application.ts'
import {
  proposalFromHeader,
  rewardAddresses,
  toNetworkValidators,
  validatorsFromHeader,
} from './blocks/proposers.ts'
import type { ValidatorSetReader } from './validatorSetReader.ts'

/** Throws if the chain cannot go back to a height, because its state or its block is pruned. */
export const assertRevertible = (
  { state, blocks }: { readonly state: StateStore; readonly blocks: BlockStoreReader },
  height: number,
): void => {
  const { oldest } = state
  if (oldest !== undefined && height < oldest) throw statePrunedError(height, oldest)
  if (!blocks.isRetained(height))
    throw pruned(`block ${height} is pruned: the earliest that is kept is ${blocks.meta.oldestBody()}`)
}

export interface SingleNodeDependencies {
  readonly blocks: BlockStoreReader
  readonly producer: Pick<EngineProducer, 'coinbase'>
  /**
   * The validator sets of a chain that validators produced and that is only served here; undefined if this process
   * produces the blocks.
   */
  readonly sets: ValidatorSetReader | undefined
}

/** The network of a chain with one node. It has no peers, and the proposer of a block is in its header. */
export class SingleNodeNetwork implements Network {
  readonly isListening = false
  readonly #dependencies: SingleNodeDependencies

  constructor(dependencies: SingleNodeDependencies) {
    this.#dependencies = dependencies
  }

  self(): NodeIdentity | undefined {
    return undefined
  }

  peerCount(): number {
    return this.peers().length
  }

  peers(): readonly Peer[] {
    return []
  }

  validators(number: number): readonly Uint8Array[] {
    const { blocks, sets } = this.#dependencies
    return sets === undefined ? validatorsFromHeader(blocks, number) : rewardAddresses(sets.forBlock(number))
  }

  validatorSet(number: number): readonly NetworkValidator[] {
    const { sets } = this.#dependencies
    if (sets !== undefined) return toNetworkValidators(sets.forBlock(number))
    throw unsupported('this chain has no validators: one process makes its blocks (see clique_getSigners)')
  }

  proposal(number: number): Proposal | undefined {
    return proposalFromHeader(this.#dependencies.blocks, number)
  }

  syncing(): undefined {
    return undefined
  }

  coinbase(): Uint8Array {
    return this.#dependencies.producer.coinbase
  }
}

/** Rejects every peer, because there is none to connect to. */
export const refusePeers: ChainControl['addPeer'] = async () => {
  throw unsupported('the chain is made by this process alone: there are no peers to add')
}
