import type { Header } from '../../chain/block/header.ts'
import type { ProvenValue } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { StateRules } from './judgement.ts'

/** The blocks of the store, by which states are proven. */
export interface ProvingBlocks {
  header(height: number): Header | undefined
  blockHashAt(height: number): Uint8Array | undefined
}

/** A kind of proofs: how a chain commits to its states, and how its nodes prove values of them. */
export interface ProofKind {
  /** The lowest height whose state nodes prove. */
  readonly lowest: number
  /**
   * Whether every node of such a chain gives proofs, and of a form that is known. If not, it is learnt from the first ones: no
   * node is called a liar before that, and one without proofs is believed.
   */
  readonly isCertain: boolean
  /** Whether nodes give all that a call reads, so that a gateway can run it itself. */
  readonly hasWitnesses: boolean
  /** Returns how answers about states are judged. */
  readonly rulesOf: (chainInfo: ChainInfo, blocks: Pick<ProvingBlocks, 'header'>) => StateRules
  /** Throws a `ProofError` unless a key of a store has this value in the state that an AppHash commits to. */
  readonly verify: (
    given: Pick<ProvenValue, 'value' | 'operations'>,
    store: string,
    key: Uint8Array,
    appHash: Uint8Array,
  ) => void
  /** Returns the AppHash that commits to the state after a block, by the stored blocks up to the next one. */
  readonly appHashAfter: (height: number, blocks: ProvingBlocks) => Uint8Array | undefined
}
