import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { Waiter } from '../../base/async/waiter.ts'
import type { AccountOverride, BlockOverride } from '../state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../state/simulation.ts'
import type { TransactionRequest } from '../transaction/request.ts'
import type { AccessListEntry } from '../transaction/transaction.ts'
import type { BlockRef } from './blockRef.ts'
import type { TransactionLocation } from './location.ts'
import type { StateView } from './state.ts'

/** Who waits for the outcome of a call. The tool that made it is shown to developers. */
export type CallWaiter =
  | AbortSignal
  | (Exclude<Waiter, AbortSignal> & { readonly caller?: { readonly userAgent?: string | undefined } })

/** Executes calls on a state of the chain and discards their changes. */
export interface Executor {
  call(request: CallRequest, at: BlockRef, waiter: CallWaiter): MaybePromise<CallOutcome>
  estimateGas(request: CallRequest, at: BlockRef, waiter: CallWaiter): MaybePromise<EstimateOutcome>
  createAccessList(request: CallRequest, at: BlockRef, signal: AbortSignal): MaybePromise<AccessListOutcome>
  /**
   * Executes the bundles one after the other, each in a separate block, and returns an outcome, or the
   * reason of a rejection, for every request. The bundles start from the state before transaction `before` of
   * the block, or from the state after the block if `before` is undefined.
   */
  callMany(
    bundles: readonly CallBundle[],
    stateOverrides: readonly AccountOverride[] | undefined,
    at: BlockRef,
    before: number | undefined,
    signal: AbortSignal,
  ): MaybePromise<readonly (readonly (CallOutcome | string)[])[]>
  /** Executes simulated blocks that follow the block `at`. */
  simulate(simulation: Simulation, at: BlockRef, signal: AbortSignal): MaybePromise<SimulationOutcome>
  /**
   * Returns all that running a request reads of the state after the block `at`, with its proofs, for somebody who has the
   * state root alone. That the request fails is not an error here.
   */
  witness(question: WitnessQuestion, at: BlockRef, signal: AbortSignal): MaybePromise<CallWitness>
  /**
   * Returns the state before a transaction of a block, which is found by executing the earlier transactions
   * of the block again. The index after the last transaction gives the state after all of them, before the
   * changes at the end of the block.
   */
  stateBefore(location: TransactionLocation, signal: AbortSignal): MaybePromise<StateView>
}

/** A call and the overrides that it sees. */
export interface CallRequest {
  readonly request: TransactionRequest
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverride | undefined
}

export interface CallOutcome {
  readonly isSuccess: boolean
  /** The EVM's error text for a failure, including a revert. */
  readonly error: string | undefined
  readonly isRevert: boolean
  readonly output: Uint8Array
  /** The gas used as a receipt would report it. */
  readonly gasUsed: bigint
}

/** The least gas that suffices, or the outcome of the call that failed with all the gas it may use. */
export type EstimateOutcome =
  | { readonly gas: bigint; readonly failure: undefined }
  | { readonly gas: undefined; readonly failure: CallOutcome }

/** The access list of everything that the call reads, and the gas that the call uses with it. */
export interface AccessListOutcome {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** The EVM's error text if the call fails. */
  readonly error: string | undefined
}

/** Calls in one simulated block, which see each other's changes. */
export interface CallBundle {
  readonly requests: readonly TransactionRequest[]
  readonly blockOverrides?: BlockOverride | undefined
}

/** What somebody wants to run on a proven state. */
export type WitnessQuestion =
  | { readonly kind: 'call' | 'estimate' | 'accessList'; readonly call: CallRequest }
  | { readonly kind: 'simulate'; readonly simulation: Simulation }

export interface CallWitness {
  /** The nodes of the tries that lead to what is read, or show that it is not there; each once. */
  readonly nodes: readonly Uint8Array[]
  /** The code of the contracts that are read. */
  readonly codes: readonly Uint8Array[]
  /** The oldest block whose hash is read; undefined if none is. */
  readonly oldestHash?: number | undefined
}

/** A call or an estimate, as watchers are notified of it. */
interface WatchedCall {
  readonly method: 'eth_call' | 'eth_estimateGas'
  readonly call: CallRequest
  readonly at: BlockRef
  /** The name that its tool gives itself; undefined if it gives none. */
  readonly userAgent: string | undefined
}

/** A watched call that failed. */
export interface FailedCall extends WatchedCall {
  readonly outcome: CallOutcome
}

/** One in which a contract called the console or, if `isCertain` is false, may have. */
export interface ConsoleCall extends WatchedCall {
  readonly isCertain: boolean
}
