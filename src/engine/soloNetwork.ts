import { unsupported } from '../chain/chainError.ts'
import type { Control, Network, NetworkValidator, NodeIdentity, Peer, Proposal } from '../chain/port/port.ts'
import type { BlockProducer } from '../node/producer.ts'
import type { BlockReader } from '../store/blockReader.ts'
import { inEngineOrder, proposalByHeader, rewardsOf, validatorsByHeader } from './proposers.ts'
import type { ValidatorSets } from './validatorSets.ts'

export interface LoneNetworkDependencies {
  readonly blocks: BlockReader
  readonly producer: BlockProducer
  /** Of a chain that validators made and that is only served here; undefined where this process makes the blocks. */
  readonly sets: ValidatorSets | undefined
}

/** A chain that one process makes: nobody else is there, and who proposed a block stands in its header. */
export class LoneNetwork implements Network {
  readonly isListening = false
  readonly #dependencies: LoneNetworkDependencies

  constructor(dependencies: LoneNetworkDependencies) {
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

export interface LoneControlDependencies {
  /** False: a home is only served (`--engine none`). */
  readonly makesBlocks: boolean
  readonly producer: BlockProducer
  readonly setHeadBack: (number: number) => Promise<void>
}

/** What an operator can do to such a chain: everything, where blocks are made; nothing, where it is only served. */
export const createLoneControl = ({
  makesBlocks,
  producer,
  setHeadBack,
}: LoneControlDependencies): Control => {
  const needEngine = (): void => {
    if (!makesBlocks) throw unsupported('no engine runs here that makes blocks (--engine none)')
  }
  return {
    setHead: async (number) => {
      needEngine()
      await setHeadBack(number)
    },
    setCoinbase: async (address) => {
      needEngine()
      producer.coinbase = address
    },
    addPeer: async () => {
      throw unsupported('the chain is made by this process alone: there are no peers to add')
    },
  }
}
