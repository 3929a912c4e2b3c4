import type { MaybePromise } from '../../base/maybePromise.ts'
import type { AccountOverride, BlockOverride } from '../state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../state/simulation.ts'
import type { TransactionRequest } from '../transaction/request.ts'
import type { AccessListEntry } from '../transaction/types.ts'
import type { BlockRef } from './blockRef.ts'
import type { TransactionLocation } from './location.ts'
import type { StateView } from './state.ts'

/** Runs code on a state that is there, and keeps nothing of what it changes. */
export interface Executor {
  call(question: CallRequest, at: BlockRef, signal: AbortSignal): MaybePromise<CallOutcome>
  estimateGas(question: CallRequest, at: BlockRef, signal: AbortSignal): MaybePromise<EstimateOutcome>
  createAccessList(question: CallRequest, at: BlockRef, signal: AbortSignal): MaybePromise<AccessListOutcome>
  /**
   * Runs one bundle after the other, each a block later, and returns an outcome, or the words of a refusal, for every
   * request. They begin before a transaction of the block, or after all of them where `before` is undefined.
   */
  callMany(
    bundles: readonly CallBundle[],
    stateOverrides: readonly AccountOverride[] | undefined,
    at: BlockRef,
    before: number | undefined,
    signal: AbortSignal,
  ): MaybePromise<readonly (readonly (CallOutcome | string)[])[]>
  /** Runs blocks that would follow the one named. */
  simulate(simulation: Simulation, at: BlockRef, signal: AbortSignal): MaybePromise<SimulationOutcome>
  /**
   * Returns the state in which a transaction of a block began: those before it in the block are run again. The index
   * after the last one is the state after all of them, before what the block does at its end.
   */
  stateBefore(location: TransactionLocation, signal: AbortSignal): MaybePromise<StateView>
}

/** A call, and what it sees in place of the chain's real state and block. */
export interface CallRequest {
  readonly request: TransactionRequest
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverride | undefined
}

export interface CallOutcome {
  readonly isSuccess: boolean
  /** The machine's word for a failure, a revert too. */
  readonly error: string | undefined
  readonly isRevert: boolean
  readonly output: Uint8Array
  /** What a receipt would say. */
  readonly gasUsed: bigint
}

/** The least gas that suffices, or how the call fails with all the gas it may have. */
export type EstimateOutcome =
  | { readonly gas: bigint; readonly failure: undefined }
  | { readonly gas: undefined; readonly failure: CallOutcome }

/** The list that makes everything warm that the call looks at, and what the call costs with it. */
export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** The machine's word where the call fails. */
  readonly error: string | undefined
}

/** Calls that see each other's changes, in a block of their own. */
export interface CallBundle {
  readonly requests: readonly TransactionRequest[]
  readonly blockOverrides?: BlockOverride | undefined
}
