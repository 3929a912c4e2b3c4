import type { ValidatorChange } from '../../chain/validators/validatorConfig.ts'
import type { NativeEvent } from '../../cosmos/results/nativeEvents.ts'
import type { NativeResult } from '../../cosmos/results/nativeResult.ts'
import type { ExecutedHead } from '../appHead.ts'
import type { SenderHints } from './knownSenders.ts'

/** A block as a replicated engine decided it. */
export interface DecidedBlock {
  readonly height: number
  /** The engine's time in whole seconds. */
  readonly time: bigint
  /** The engine's hash of the block. */
  readonly engineHash: Uint8Array
  readonly entries: readonly Uint8Array[]
  /** Senders that this node recovered before; they change no result. */
  readonly senders?: SenderHints | undefined
}

/** The result of FinalizeBlock. CometBFT commits to the hash. */
export interface FinalizeResult extends ExecutedHead {
  /** One result for each entry. */
  readonly results: readonly NativeResult[]
  readonly events: readonly NativeEvent[]
  /** The changes of the validator set in this block. */
  readonly validatorChanges: readonly ValidatorChange[]
}
