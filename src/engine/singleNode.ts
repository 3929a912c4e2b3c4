import { unsupported } from '../chain/chainError.ts'
import type { Control } from '../chain/port/control.ts'
import type { Network, NetworkValidator, NodeIdentity, Peer, Proposal } from '../chain/port/network.ts'
import type { BlockReader } from '../store/blockReader.ts'
import type { EngineProducer } from './application.ts'
import { inEngineOrder, proposalByHeader, rewardsOf, validatorsByHeader } from './proposers.ts'
import type { ValidatorSets } from './validatorSets.ts'

export interface SingleNodeDependencies {
  readonly blocks: BlockReader
  readonly producer: Pick<EngineProducer, 'coinbase'>
  /** Those of a chain that validators made and that is only served here; undefined where this process makes the blocks. */
  readonly sets: ValidatorSets | undefined
}

/** The network of a chain that has one node: nobody else is there, and who proposed a block stands in its header. */
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
    return sets === undefined ? validatorsByHeader(blocks, number) : rewardsOf(sets.deciding(number))
  }

  validatorSet(number: number): readonly NetworkValidator[] {
    const { sets } = this.#dependencies
    if (sets !== undefined) return inEngineOrder(sets.deciding(number))
    throw unsupported('this chain has no validators: one process makes its blocks (see clique_getSigners)')
  }

  proposal(number: number): Proposal | undefined {
    return proposalByHeader(this.#dependencies.blocks, number)
  }

  syncing(): undefined {
    return undefined
  }

  coinbase(): Uint8Array {
    return this.#dependencies.producer.coinbase
  }
}

/** There is nobody to connect to. */
export const refusePeers: Control['addPeer'] = async () => {
  throw unsupported('the chain is made by this process alone: there are no peers to add')
}
